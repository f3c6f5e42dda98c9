package main

import "fmt"

func classify(n int) string {
	switch {
	case n < 0:
		return "negative"
	case n == 0, n == 1:
		return "small"
	}
	switch r := n % 4; r {
	case 0:
		return "four"
	case 1, 2:
		fallthrough
	default:
		return "other"
	}
}

func search(grid [][]int, want int) (x, y int, ok bool) {
outer:
	for y = range grid {
		for x = range grid[y] {
			switch {
			case grid[y][x] == want:
				ok = true
				break outer
			case grid[y][x] < 0:
				continue outer
			}
		}
	}
	return
}

func jumps(n int) int {
	i := 0
again:
	if i < n {
		i += 2
		goto again
	}
loop:
	for j := 0; ; j++ {
		if j > 1 {
			break
		}
		if i > 100 {
			goto loop
		}
		i += j
	}
	return i
}

func collect() []func() int {
	var fs []func() int
	for i := 0; i < 2; i++ {
		i := i
		fs = append(fs, func() int {
			i *= 10
			return i
		})
	}
	return fs
}

func variadic(base int, more ...int) (total int) {
	for _, m := range more {
		total += m
	}
	return base + total
}

func main() {
	for n := -1; n < 5; n += 2 {
		fmt.Println(n, classify(n))
	}
	fmt.Println(search([][]int{{1, -2, 3}, {4, 5}}, 5))
	fmt.Println(jumps(3))
	for _, f := range collect() {
		fmt.Println(f(), f())
	}
	fmt.Println(variadic(1), variadic(1, 2, 3), variadic(1, []int{4}...))
	x := 0
	for x < 3 { x++ }
	for i := range [3]struct{}{} {
		if i == 1 {
			break
		}
		x += i
	}
	if y, ok := any(x).(int); ok && y > 2 {
		x = y * 2
	} else if z := fmt.Sprint(y); z == "" {
		x = 0
	}
	ch := make(chan int, 3)
	for i := 0; i < 3; i++ {
		select {
		case ch <- i:
		default:
		}
	}
	close(ch)
	for v := range ch {
		x += v
	}
	a, b := 1, 2; a, b = b, a
	var p, q *int = &a, nil
	*p += 5
	if q == nil { q = p }
	fmt.Println(x, a, b, *q)
}
