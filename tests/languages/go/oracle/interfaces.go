package main

type shape interface {
	area() int
}

type square struct{ side int }
type rect struct{ w, h int }

func (s square) area() int {
	return s.side * s.side
}

func (r *rect) area() int {
	return r.w * r.h
}

func describe(s shape) string {
	switch v := s.(type) {
	case square:
		if v.side > 2 {
			return "big square"
		}
		return "square"
	case *rect:
		return "rect"
	}
	return "none"
}

func main() {
	total := 0
	shapes := []shape{square{3}, &rect{2, 5}, square{1}}
	for i, s := range shapes {
		name := describe(s)
		total += s.area() * (i + len(name))
	}
	println(total)
}
