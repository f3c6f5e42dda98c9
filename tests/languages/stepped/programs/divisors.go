package main

import "fmt"

func gcd(a, b int) int {
	for b != 0 {
		rest := a % b
		a = b
		b = rest
	}
	return a
}
func main() {
	total := 0
	for i := 1; i < 4; i++ {
		total += gcd(12, i)
	}
	half := float64(total) / 2
	fmt.Println(total, half)
}
