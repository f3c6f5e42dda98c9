// outcome: killed SIGTERM
package main

import "syscall"

func main() {
	x := 1
	syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
	for {
		x++
	}
}
