// outcome: returned
package main

import "fmt"

func main() {
	xs := make([]int, 30_000_000)
	for i := 0; i < 50; i++ {
		xs[i] = i
	}
	fmt.Println(len(xs))
}
