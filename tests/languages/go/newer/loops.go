package main

import (
	"fmt"
	"slices"
)

func main() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Println(f())
	}
	total := 0
	for i := range 3 {
		total += i
	}
	for range 2 {
		total++
	}
	for i, s := range slices.Backward([]string{"a", "b", "c"}) {
		if i == 1 {
			continue
		}
		fmt.Println(i, s)
	}
	fmt.Println(total, min(3, 1), max(2, 5))
	var ps []*int
	for i, j := 0, 10; i < j; i, j = i+1, j-3 {
		ps = append(ps, &i)
		if i == 1 {
			continue
		}
	}
	for _, p := range ps {
		fmt.Println(*p)
	}
	clear(ps)
}
