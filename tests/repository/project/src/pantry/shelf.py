"""Shelves: what is in stock."""

from pantry.amounts import to_grams


class OutOfStock(Exception):
    """There is less on the shelf than is taken."""


class Shelf:
    """Grams of each food."""

    def __init__(self, stock=None):
        self.stock = dict(stock or {})

    def put(self, food, amount, unit="g"):
        """Add an amount and return what is there now."""
        self.stock[food] = self.stock.get(food, 0) + to_grams(amount, unit)
        return self.stock[food]

    def take(self, food, amount):
        """Remove grams and return what is left."""
        present = self.stock.get(food, 0)
        if amount > present:
            raise OutOfStock(f"{present} g of {food}, not {amount}")
        self.stock[food] = present - amount
        if not self.stock[food]:
            del self.stock[food]
        return present - amount

    def heaviest(self):
        """Return the foods in order of weight, the heaviest first."""
        return sorted(self.stock, key=lambda food: (-self.stock[food], food))


def missing(stock, recipe):
    """Return how many grams of each food a recipe needs beyond the stock."""
    lacking = {}
    for food, amount in recipe.items():
        present = stock.get(food, 0)
        if amount > present:
            lacking[food] = amount - present
    return lacking
