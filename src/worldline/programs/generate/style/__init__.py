"""The style of a finished program: its layout, and the habits of its writer."""
