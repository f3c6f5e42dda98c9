"""Recipes, amounts and shelves: small pure functions and one class."""
