package main

import (
	"container/heap"
	"container/list"
	"fmt"
)

type Tree struct {
	left, right *Tree
	value       int
}

func (t *Tree) insert(value int) *Tree {
	if t == nil {
		return &Tree{value: value}
	}
	if value < t.value {
		t.left = t.left.insert(value)
	} else {
		t.right = t.right.insert(value)
	}
	return t
}

func (t *Tree) walk(visit func(int)) {
	if t == nil {
		return
	}
	t.left.walk(visit)
	visit(t.value)
	t.right.walk(visit)
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(item T) { s.items = append(s.items, item) }

func (s *Stack[T]) Pop() (item T, ok bool) {
	if len(s.items) == 0 {
		return item, false
	}
	last := len(s.items) - 1
	item, s.items = s.items[last], s.items[:last]
	return item, true
}

type IntHeap []int

func (h IntHeap) Len() int           { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func main() {
	var root *Tree
	for _, v := range []int{5, 2, 8, 1} {
		root = root.insert(v)
	}
	sum := 0
	root.walk(func(v int) { sum += v })
	s := &Stack[string]{}
	s.Push("a")
	s.Push("b")
	top, ok := s.Pop()
	h := &IntHeap{3, 1, 2}
	heap.Init(h)
	least := heap.Pop(h)
	l := list.New()
	l.PushBack(1)
	l.PushFront("zero")
	grid := [2][3]int{{1, 2, 3}}
	rows := [][]int{grid[0][:2], {9}}
	rows[0][1] = 7
	shared := [][]int{rows[0], rows[0]}
	var cyclic []any
	cyclic = append(cyclic, 1, nil)
	cyclic[1] = cyclic
	anonymous := struct {
		name string
		tags map[string]struct{}
	}{"x", map[string]struct{}{"t": {}}}
	fmt.Println(sum, top, ok, least, l.Len(), grid, len(shared), len(cyclic), anonymous.name)
}
