// outcome: exited 1
// perturbed: the time in its message
package main

import "log"

func main() {
	x := 1
	log.Fatal("x", x)
}
