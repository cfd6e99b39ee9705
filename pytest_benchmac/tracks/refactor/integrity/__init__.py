"""Was it refactored, or made to look so? See the README of the track."""
