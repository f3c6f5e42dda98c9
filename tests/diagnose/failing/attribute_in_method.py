"""A method writes a wrong attribute."""


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0

    def deposit(self, amount):
        self.balance -= amount  # <- writer
        self.touched = True


def test_it():
    account = Account("ann")
    account.deposit(5)
    account.owner = "bob"
    assert account.balance == 5
