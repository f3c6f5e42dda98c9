package main

import "fmt"

func sorted(cells []int) int {
	swaps := 0
	for end := len(cells) - 1; end > 0; end-- {
		moved := false
		for i := 0; i < end; i++ {
			if cells[i] > cells[i+1] {
				cells[i], cells[i+1] = cells[i+1], cells[i]
				swaps++
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	return swaps
}

func main() {
	cells := []int{5, 2, 9, 1}
	swaps := sorted(cells)
	first, last := cells[0], cells[3]
	fmt.Println(swaps, first, last)
}
