package main

import "fmt"

func main() {
	x := twice(4)
	fmt.Println(x)
}
