package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type Shape interface {
	Area() float64
}

type Rect struct{ W, H float64 }

func (r Rect) Area() float64 { return r.W * r.H }

type Counter struct {
	n    int
	seen map[string]bool
}

func (c *Counter) Add(s string) (n int, fresh bool) {
	if c.seen[s] {
		return c.n, false
	}
	c.seen[s] = true
	c.n++
	return c.n, true
}

type Animal struct{ name string }
type Dog struct {
	Animal
	tricks []string
}

func divide(a, b int) (res int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("caught: %v", r)
		}
	}()
	res = a / b
	return res, nil
}

var ErrNeg = errors.New("negative")

func check(x int) error {
	if x < 0 {
		return fmt.Errorf("check %d: %w", x, ErrNeg)
	} else if y := x * 2; y > 10 {
		return errors.New("big")
	} else {
		x = y
	}
	return nil
}

func Map[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func main() {
	x := 1
	{
		x := x + 1
		x++
	}
	x += 10
	var s Shape = Rect{2, 3}
	fmt.Println(s.Area())
	c := &Counter{seen: map[string]bool{}}
	for _, w := range strings.Fields("a b a") {
		n, fresh := c.Add(w)
		fmt.Println(n, fresh)
	}
	d := Dog{Animal{"rex"}, nil}
	d.tricks = append(d.tricks, "sit")
	q, err := divide(1, 0)
	fmt.Println(q, err)
	fmt.Println(check(-1), check(3), check(9))
	counter := 0
	inc := func() int { counter++; return counter }
	inc()
	inc()
	sq := Map([]int{1, 2}, func(v int) string { return fmt.Sprint(v * v) })
	switch {
	case x > 100:
		x = 0
	case x > 5:
		x = 5
		fallthrough
	default:
		x--
	}
	switch v := s.(type) {
	case nil:
		fmt.Println("nil")
	case Rect:
		fmt.Println(v.W)
	}
outer:
	for i := 0; ; i++ {
		for j := range sq {
			if i == 1 {
				break outer
			}
			if j == 1 {
				continue outer
			}
		}
	}
	ch := make(chan int, 2)
	ch <- 1
	select {
	case v, ok := <-ch:
		fmt.Println(v, ok)
	default:
	}
	var e error = &os.PathError{Op: "open", Path: "p", Err: ErrNeg}
	arr := [3]int{1, 2, 3}
	brr := arr
	brr[0] = 7
	for i, n := 0, 3; i < n; i, n = i+1, n-1 {
		x += i
	}
	var sb strings.Builder
	sb.WriteString("hi")
	fmt.Fprintln(os.Stderr, sb.String(), e)
	defer fmt.Println("deferred")
	func() {
		defer func() { recover() }()
		var p *Rect
		p.W = 1
	}()
	xs := []int{1}
	_ = xs[x+5]
}
