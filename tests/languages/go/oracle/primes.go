package main

func sieve(n int) []int {
	composite := make([]bool, n+1)
	primes := []int{}
	for p := 2; p <= n; p++ {
		if composite[p] {
			continue
		}
		primes = append(primes, p)
		for q := p * p; q <= n; q += p {
			composite[q] = true
		}
	}
	return primes
}

func main() {
	total := 0
	for i, p := range sieve(20) {
		if i%2 == 0 {
			total += p
		} else {
			total -= p
		}
	}
	println(total)
}
