// outcome: returned
package main

import "fmt"

type node struct{ next *node; data [64]int }

func main() {
	var last *node
	for i := 0; i < 3000; i++ {
		last = &node{nil, [64]int{i}}
	}
	fmt.Println(last.data[0])
}
