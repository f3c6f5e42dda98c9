"""What is known of a repository: how its sources changed."""
