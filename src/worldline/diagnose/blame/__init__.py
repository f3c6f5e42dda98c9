"""Which operation of a line is to blame for a wrong value, and how often each operation was executed."""
