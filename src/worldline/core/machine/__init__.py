"""What a machine offers for executing programs."""
