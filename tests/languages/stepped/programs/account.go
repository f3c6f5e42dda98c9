package main

import (
	"errors"
	"fmt"
)

type account struct {
	balance int
}

func (a *account) draw(amount int) error {
	if amount > a.balance {
		return errors.New("short of money")
	}
	a.balance -= amount
	return nil
}

func main() {
	own := account{balance: 10}
	refused := 0
	for amount := 3; amount < 7; amount++ {
		err := own.draw(amount)
		if err != nil {
			refused++
		}
	}
	isEmpty := own.balance == 0
	fmt.Println(refused, isEmpty)
}
