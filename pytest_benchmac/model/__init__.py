"""What passes between rooms: frozen, validated records. Nothing here knows a track."""
