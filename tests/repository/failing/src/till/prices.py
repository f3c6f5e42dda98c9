"""Prices and receipts."""

import json


def gross(net, rate=0.2):
    tax = net * rate
    total = net + tax + 1  # <- gross
    return total


def total(nets):
    amount = 0
    for net in nets:
        amount = amount + gross(net)
    return amount


def discount(amount, customer):
    if customer == "member":
        share = 0.5
    else:
        share = 1.0
    return amount * share  # <- discount


def collect(item, items=[]):
    items.append(item)  # <- collect
    return items


def receipt(lines):
    text = json.dumps(lines)
    text = text[1:]  # <- receipt
    return text


def parse_amount(text):
    cleaned = text.strip() or "0"
    return int(cleaned)  # <- parse_amount


def by_name(pairs):
    table = {}
    for name, price in pairs:
        table[name] = price  # <- by_name
    return table


class Till:
    def __init__(self):
        self.cash = 0
        self.log = []

    def sell(self, amount):
        self.cash -= amount  # <- sell
        self.log.append(("sell", amount))

    @property
    def balance(self):
        return self.cash


def slow(n):
    count = 0
    while count < n:
        count += 1
    return count - 1


def doubled(prices):
    for price in prices:
        if price > 5:
            yield price * 2  # <- doubled
        else:
            yield price


def largest(prices):
    best = 0
    for price in doubled(prices):
        if price > best:
            best = price
    return best


def in_pairs(items):
    items = iter(items)
    for first in items:
        second = next(items, 0) + 1  # <- in_pairs
        yield first, second


def paired(items):
    table = {}
    for first, second in in_pairs(items):
        table[first] = second
    return table


def squares(n):
    return (i * i + 1 for i in range(n))  # <- squares


def last_square(n):
    for square in squares(n):
        last = square
    return last
