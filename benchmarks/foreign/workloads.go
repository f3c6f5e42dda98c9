// The five workloads in Go: `program NAME TIMES` runs one of them so often.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func int_loop(n int) int {
	total := 0
	for i := 0; i < n; i++ {
		total += i
	}
	return total
}

func string_build(n int) string {
	text := ""
	for i := 0; i < n; i++ {
		text += string(rune(97 + i%26))
	}
	return text
}

func bubble_sort(xs []int) int {
	n := len(xs)
	for i := 0; i < n; i++ {
		for j := 0; j < n-1-i; j++ {
			if xs[j] > xs[j+1] {
				t := xs[j]
				xs[j] = xs[j+1]
				xs[j+1] = t
			}
		}
	}
	return xs[0]
}

func bfs(graph map[int][]int, start int) int {
	distance := map[int]int{start: 0}
	queue := []int{start}
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		for _, other := range graph[node] {
			if _, seen := distance[other]; !seen {
				distance[other] = distance[node] + 1
				queue = append(queue, other)
			}
		}
	}
	return len(distance)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	found := 0
	drawn := int32(7)
	graph := map[int][]int{}
	for i := 0; os.Args[1] == "bfs" && i < 300; i++ {
		row := []int{}
		for k := 0; k < 6; k++ {
			drawn = drawn*1103515245 + 12345
			row = append(row, int(uint32(drawn)>>8) % 300)
		}
		graph[i] = row
	}
	rounds, _ := strconv.Atoi(os.Args[2])
	for round := 0; round < rounds; round++ {
		switch os.Args[1] {
		case "int_loop":
			found += int_loop(100000)
		case "string_build":
			found += len(string_build(2000))
		case "bubble_sort":
			xs := make([]int, 200)
			for i := 0; i < 200; i++ {
				xs[i] = (i*7919)%200*3 + 1
			}
			found += bubble_sort(xs)
		case "bfs":
			found += bfs(graph, 0)
		case "fib":
			found += fib(18)
		}
	}
	fmt.Println(found)
}
