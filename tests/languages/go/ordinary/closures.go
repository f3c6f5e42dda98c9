package main

type T struct{ n int }

func (t *T) add(x int) int { t.n += x; return t.n }

func counter(step int, name string) (func() int, func()) {
	n := 0
	var t T
	return func() int {
			n += step
			t.add(1)
			return n + len(name)
		}, func() {
			n = 0
			func() { t.n = -step }()
		}
}

var global = func(x int) int { return x + 1 }

func main() {
	next, reset := counter(2, "ab")
	next()
	next()
	reset()
	var fib func(n int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	fs := []func(int) int{fib, global}
	t := &T{}
	m := t.add
	g := T.String
	for i := range fs {
		x := fs[i](i + 1)
		f := func() (a, b int) {
			a, b = x, i
			return
		}
		f()
	}
	println(m(3), g(*t))
}

func (t T) String() string { return "T" }
