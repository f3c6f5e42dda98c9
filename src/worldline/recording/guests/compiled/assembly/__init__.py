"""Assembly as text: its loops, blocks and exceptions, and the calls into the hook that are inserted."""
