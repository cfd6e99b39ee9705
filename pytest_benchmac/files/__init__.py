"""Files written whole, locks, archives."""
