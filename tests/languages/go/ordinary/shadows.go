package main

import "fmt"

type bool int

func false(ok bool) bool { return ok + 1 }

var true = "yes"

func main() {
	wl_f, len := 3, 4
	var nil = 5
	for i := 0; i < wl_f; i++ {
		len += i
	}
	fmt.Println(false(1), true, wl_f, len, nil)
}
