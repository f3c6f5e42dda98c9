"""Datasets as the Hub expects them: parquet files by split, and a card with the licences of the sources."""
