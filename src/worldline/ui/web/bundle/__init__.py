"""The page and its data as files that need no server."""
