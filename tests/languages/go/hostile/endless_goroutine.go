// outcome: returned
// note: threads
package main

import "fmt"

func main() {
	go func() {
		for {
		}
	}()
	x := 1
	fmt.Println(x)
}
