package main

import "fmt"

func main() {
	seen := []int{}
	total := 0
	for i := 0; i < 5; i++ {
		total += i
		seen = append(seen, total)
	}
	fmt.Println(total)
}
