package main

func find(grid [][]int, want int) int {
	at := -1
outer:
	for i := range grid {
		for j := range grid[i] {
			if grid[i][j] == want {
				at = i*10 + j
				break outer
			}
			if grid[i][j] < 0 {
				continue outer
			}
		}
	}
	return at
}

func main() {
	grid := [][]int{{1, -1, 7}, {3, 7}}
	a := find(grid, 7)
	b := find(grid, 8)
	n := 0
	for {
		n++
		if n > 2 {
			break
		}
	}
	for { n--
		if n < 0 {
			break
		}
	}
	println(a, b, n)
}
