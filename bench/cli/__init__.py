"""What each command does; ``bench.cli.app`` only reads its words and imports the one it needs."""
