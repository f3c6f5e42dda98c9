package main

type number interface{ int | float64 }

func sum[T number](xs []T) T {
	var total T
	for _, x := range xs {
		total += x
	}
	return total
}

func largest(xs ...int) int {
	best := xs[0]
	for _, x := range xs[1:] {
		if x > best {
			best = x
		}
	}
	return best
}

func main() {
	a := sum([]int{1, 2})
	b := sum([]float64{0.5, 1})
	c := largest(3, 9, 4)
	println(a, b > 1, c)
}
