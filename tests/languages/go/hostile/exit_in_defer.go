// outcome: exited 5
package main

import (
	"fmt"
	"os"
)

func main() {
	defer os.Exit(5)
	defer fmt.Println("deferred")
	panic("never told")
}
