"""One account under two names: a change made through one is seen through both."""


class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0
        self.log = []

    def deposit(self, amount):
        self.balance += amount
        self.log.append(amount)


def month(owner):
    account = Account(owner)
    boss = account
    account.deposit(100)
    boss.deposit(-30)
    history = account.log
    history.append("audited")
    return account.balance, boss.log


if __name__ == "__main__":
    print(month("Ada"))
