// outcome: returned
// output: 'a\n'
package main

import (
	"fmt"
	"os"
)

func main() {
	old := os.Stdout
	r, w, _ := os.Pipe()
	os.Stdout = w
	fmt.Println("hidden")
	os.Stdout = old
	buf := make([]byte, 3)
	r.Read(buf)
	fmt.Println("a")
}
