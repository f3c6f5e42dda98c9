#include <iostream>
class Account {
    int balance_ = 0;

public:
    explicit Account(int balance) : balance_(balance) {}
    bool draw(int amount) {
        if (amount > balance_) {
            return false;
        }
        balance_ -= amount;
        return true;
    }
    int balance() const {
        return balance_;
    }
};
static int drawn(Account &account, int amount) {
    bool is_drawn = account.draw(amount);
    return is_drawn ? amount : 0;
}
int main() {
    Account account(10);
    int total = 0;
    for (int amount = 3; amount < 7; amount++) {
        int got = drawn(account, amount);
        total += got;
    }
    bool is_empty = account.balance() == 0;
    std::cout << total << is_empty << '\n';
    return 0;
}
