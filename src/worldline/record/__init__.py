"""Programs run boxed, and what they did."""
