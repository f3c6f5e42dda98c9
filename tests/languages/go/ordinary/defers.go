package main

import (
	"errors"
	"fmt"
)

type failure struct{ code int }

func (f *failure) Error() string { return fmt.Sprint("failure ", f.code) }

func cleanup(name string) { fmt.Println("cleanup", name) }

func risky(n int) (result string, err error) {
	defer cleanup("last")
	defer func() {
		if r := recover(); r != nil {
			result = "recovered"
			if e, is := r.(error); is {
				err = e
			}
		}
	}()
	for i := 0; i < 2; i++ {
		defer func(i int) {
			result += fmt.Sprint(i)
		}(i)
	}
	if n > 1 {
		panic(&failure{n})
	}
	if n == 1 {
		var m map[string]int
		m["x"] = 1
	}
	return "fine", nil
}

func again() (err error) {
	defer func() {
		err = fmt.Errorf("again: %w", recover().(error))
	}()
	defer func() {
		panic(errors.New("second"))
	}()
	panic(errors.New("first"))
}

func rethrow() {
	defer func() {
		r := recover()
		defer func() { fmt.Println("inner", recover()) }()
		panic(r)
	}()
	panic("once")
}

func main() {
	for i := 0; i < 3; i++ {
		result, err := risky(i)
		var f *failure
		fmt.Println(result, err, errors.As(err, &f))
	}
	fmt.Println(again())
	rethrow()
	var list []int
	defer func() {
		fmt.Println("exit", recover())
		panic(fmt.Sprintf("end %d", len(list)))
	}()
	list[3] = 1
}
