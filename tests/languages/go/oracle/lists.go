package main

type node struct {
	next  *node
	value int
}

func push(head *node, value int) *node {
	fresh := &node{value: value}
	fresh.next = head
	return fresh
}

func reverse(head *node) *node {
	var before *node
	for head != nil {
		after := head.next
		head.next = before
		before, head = head, after
	}
	return before
}

func main() {
	var head *node
	for i := 1; i <= 3; i++ {
		head = push(head, i*i)
	}
	head = reverse(head)
	sum := 0
	for at := head; at != nil; at = at.next {
		sum = sum*10 + at.value
	}
	println(sum)
}
