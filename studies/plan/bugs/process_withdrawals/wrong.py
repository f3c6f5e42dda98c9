def process_withdrawals(balance, amounts, fee):
    """Pay out each amount plus the fee where the balance covers both.

    Returns [final balance, list of refused amounts].
    """
    refused = []
    for amount in amounts:
        cost = amount + fee
        if amount > 0 and cost < balance:
            balance -= cost
        else:
            refused.append(amount)
    return [balance, refused]
