"""The HTML report: one file that needs no network, with a leaderboard, figures and every step of every trial."""
