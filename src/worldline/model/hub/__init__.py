"""A model as a folder that `transformers` loads: its weights, the code that computes them, a tokenizer and a card."""
