// outcome: returned
package main

type node struct {
	next  *node
	again any
	all   []*node
	self  map[string]any
}

func main() {
	a := &node{self: map[string]any{}}
	a.next, a.again = a, &a
	a.all = []*node{a, a}
	a.self["me"] = a.self
	var p any
	p = &p
	type loop []loop
	l := loop{nil, nil}
	l[0], l[1] = l, l
	_ = p
}
