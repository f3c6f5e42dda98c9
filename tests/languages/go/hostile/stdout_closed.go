// outcome: returned
// output: 'before\n'
package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	fmt.Println("before")
	os.Stdout.Close()
	_, err := fmt.Println("after")
	syscall.Close(1)
	if err == nil {
		panic("written")
	}
}
