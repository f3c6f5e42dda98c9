// outcome: returned
// note: threads
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGUSR1)
	go func() { syscall.Kill(syscall.Getpid(), syscall.SIGUSR1) }()
	s := <-got
	fmt.Println(s)
}
