package main

func collatz(n uint64) (steps int) {
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return steps
}

func root(x float64) float64 {
	guess := x / 2
	for i := 0; i < 4; i++ {
		guess = (guess + x/guess) / 2
	}
	return guess
}

func main() {
	steps := collatz(6)
	r := root(2)
	var small int8 = 127
	small++
	var flags uint8 = 1<<3 | 1
	flags &^= 1
	mod := -7 % 3
	println(steps, r > 1.4, small, flags, mod)
}
