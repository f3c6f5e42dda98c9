// outcome: exited 255
package main

import (
	"log"
	"os"
)

func main() {
	leave := os.Exit
	if len(os.Args) > 5 {
		log.Fatal("x")
	}
	leave(-1)
}
