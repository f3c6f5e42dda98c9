"""How a trace is looked at: tables in a terminal. Holds no logic but that of showing."""
