package main

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func hanoi(n int, from, to, by string) int {
	if n == 0 {
		return 0
	}
	moves := hanoi(n-1, from, by, to)
	moves++
	return moves + hanoi(n-1, by, to, from)
}

func main() {
	f := fib(5)
	g := gcd(84, 36)
	h := hanoi(3, "a", "b", "c")
	println(f, g, h)
}
