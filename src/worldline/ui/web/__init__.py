"""The web page: the index of runs, its JSON API, the server, and the bundle that needs no server."""
