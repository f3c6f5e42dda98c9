// Values that grow large, in Go: `large NAME N` makes N changes to one.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func appended(n int) int {
	xs := []int{}
	for i := 0; i < n; i++ {
		xs = append(xs, i)
	}
	return len(xs)
}

func insert(n int) int {
	squares := map[int]int{}
	for i := 0; i < n; i++ {
		squares[i] = i * i
	}
	return len(squares)
}

func update(n int) int {
	counts := map[int]int{}
	for i := 0; i < 1000; i++ {
		counts[i] = 0
	}
	for i := 0; i < n; i++ {
		counts[i*7919%1000] = i
	}
	return counts[(n-1)*7919%1000] + 1
}

func text(n int) int {
	s := ""
	for i := 0; i < n; i++ {
		s += string(rune(97 + i%26))
	}
	return len(s)
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	done := 0
	if n > 0 {
		switch os.Args[1] {
		case "append":
			done = appended(n)
		case "insert":
			done = insert(n)
		case "update":
			done = update(n)
		case "text":
			done = text(n)
		}
	}
	fmt.Println(done)
}
