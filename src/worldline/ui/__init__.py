"""Front ends: the terminal, the page, the debug adapter, reports, the model server, and the session they share."""
