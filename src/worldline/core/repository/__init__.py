"""What is known of a repository: its recorded tests, and how its sources changed."""
