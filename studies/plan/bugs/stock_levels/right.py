def stock_levels(movements):
    """Apply [item, 'in' or 'out', quantity] movements and return the stock."""
    stock = {}
    for item, kind, quantity in movements:
        if item not in stock:
            stock[item] = 0
        if kind == "in":
            stock[item] += quantity
        elif kind == "out":
            stock[item] -= quantity
    return stock
