package main

func counter(step int) func() int {
	n := 0
	return func() int {
		n += step
		return n
	}
}

func apply(xs []int, f func(int) int) []int {
	out := make([]int, 0, len(xs))
	for _, x := range xs {
		y := f(x)
		out = append(out, y)
	}
	return out
}

func main() {
	next := counter(2)
	a := next()
	b := next()
	base := 10
	ys := apply([]int{1, 2}, func(x int) int {
		base++
		return x * base
	})
	println(a, b, base, ys[1])
}
