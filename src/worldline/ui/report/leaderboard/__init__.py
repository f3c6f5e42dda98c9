"""A leaderboard as a folder of static pages: the board itself, and a report for each of its runs."""
