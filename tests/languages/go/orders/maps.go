package main

import (
	"fmt"
	"math"
	"sort"
)

type place struct {
	x, y int
	name string
}

// smallOnStack has a map whose seed the compiled code draws itself, and which grows.
func smallOnStack() int {
	local := map[int]int{}
	for i := 0; i < 30; i++ {
		local[i*7] = i
	}
	first := -1
	for key := range local {
		if first < 0 {
			first = key
		}
	}
	return first
}

func integers() int {
	squares := make(map[int]int)
	for i := 0; i < 40; i++ {
		squares[i] = i * i
	}
	order := []int{}
	for key, value := range squares {
		if value != key*key {
			panic("wrong value")
		}
		order = append(order, key)
	}
	sort.Ints(order)
	for i, key := range order {
		if i != key {
			panic("a key was not visited once")
		}
	}
	return len(order)
}

func texts() int {
	lengths := map[string]int{"one": 3, "two": 3, "three": 5, "four": 4, "five": 4}
	for i := 0; i < 20; i++ {
		lengths[fmt.Sprint("n", i)] = i
	}
	joined, visited := "", map[string]bool{}
	for word := range lengths {
		joined += word + " "
		visited[word] = true
	}
	if len(visited) != len(lengths) {
		panic("a word was not visited")
	}
	return len(joined)
}

func structs() int {
	sum := 0
	places := map[place]*place{}
	byAddress := map[*place]int{}
	for i := 0; i < 12; i++ {
		here := place{i, -i, fmt.Sprint(i % 3)}
		places[here] = &place{x: i}
		byAddress[places[here]] = i
	}
	for here, other := range places {
		sum += here.x + other.x
	}
	last := -1
	for other, i := range byAddress {
		last = other.x
		sum += last - i
	}
	return sum
}

func mixed() int {
	visits := 0
	things := map[any]int{1: 1, "a": 2, 2.5: 3, place{1, 2, "p"}: 4, [2]int{1, 2}: 5, true: 6, int8(1): 7, 'x': 8, nil: 9}
	newest := 0
	for _, number := range things {
		newest = number
		visits++
	}
	odd := map[float64]int{}
	for i := 0; i < 12; i++ {
		odd[math.NaN()] = i
	}
	for _, number := range odd {
		newest = number
		visits++
	}
	_ = newest
	return visits
}

func nested() int {
	table := map[string]map[int]string{}
	for _, name := range []string{"a", "b", "c"} {
		table[name] = map[int]string{}
		for i := 0; i < 10; i++ {
			table[name][i] = name
		}
	}
	cells, path := 0, ""
	for _, row := range table {
		for _, text := range row {
			path += text
			cells++
		}
	}
	return cells + len(path)
}

// changing deletes and inserts during the loop: a new key may be visited or not, a deleted one may not.
func changing() int {
	numbers := map[int]bool{}
	for i := 0; i < 25; i++ {
		numbers[i] = true
	}
	visited := []int{}
	for key := range numbers {
		visited = append(visited, key)
		delete(numbers, key)
		delete(numbers, (key+5)%25)
		if key < 25 {
			numbers[key+100] = true
		}
	}
	times := map[int]int{}
	for _, key := range visited {
		times[key]++
		if times[key] > 1 {
			panic("a key was visited twice")
		}
	}
	for key := range numbers { // empties the map, which gets new entries then
		delete(numbers, key)
	}
	for i := 0; i < 20; i++ {
		numbers[i] = false
	}
	first := -1
	for key := range numbers {
		first = key
		break
	}
	if first < 0 || first > 19 {
		panic("not a key")
	}
	return len(numbers)
}

func selects() int {
	left, right := make(chan int, 20), make(chan int, 20)
	for i := 0; i < 20; i++ {
		left <- i
		right <- -i
	}
	order, fromLeft := []int{}, 0
	for i := 0; i < 20; i++ {
		select {
		case number := <-left:
			order = append(order, number)
			fromLeft++
		case number := <-right:
			order = append(order, number)
		}
	}
	if fromLeft == 0 || fromLeft == 20 {
		panic("a ready case was never chosen")
	}
	return len(order)
}

func main() {
	first := smallOnStack()
	fmt.Println(first%7, integers(), texts(), structs(), mixed(), nested(), changing(), selects())
}
