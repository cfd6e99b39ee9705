"""The own commands of the track."""
