// outcome: returned
package main

type node struct{ left, right *node }

func main() {
	n := &node{}
	for i := 0; i < 60; i++ {
		n = &node{n, n}
	}
}
