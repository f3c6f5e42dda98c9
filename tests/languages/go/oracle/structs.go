package main

type account struct {
	balance int
	history []int
}

func (a *account) deposit(amount int) bool {
	if amount <= 0 {
		return false
	}
	a.balance += amount
	a.history = append(a.history, amount)
	return true
}

func (a account) total() int {
	sum := 0
	for _, h := range a.history {
		sum += h
	}
	return sum
}

func main() {
	a := account{}
	first := a.deposit(10)
	second := a.deposit(-1)
	b := a
	third := b.deposit(5)
	t, u := a.total(), b.total()
	println(first, second, third, t, u)
}
