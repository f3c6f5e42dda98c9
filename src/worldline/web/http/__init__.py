"""The server's side of the page that knows no runs: connections, the gate, endpoints, schemas, strict JSON."""
