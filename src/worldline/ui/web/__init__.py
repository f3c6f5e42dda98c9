"""The page: an index of runs, the answers it gives as JSON, the server and the bundle that show it in a browser."""
