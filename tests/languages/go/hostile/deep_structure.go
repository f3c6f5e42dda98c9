// outcome: returned
package main

import "fmt"

type node struct {
	next *node
	n    int
}

func build() *node {
	var first *node
	for i := 0; i < 60_000; i++ { first = &node{first, i} }
	return first
}

func main() {
	list := build()
	var nested any
	for i := 0; i < 2000; i++ { nested = []any{nested} }
	fmt.Println(list.n)
}
