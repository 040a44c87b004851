"""What each command does; ``bench.cli`` only reads its words and imports the one it needs."""
