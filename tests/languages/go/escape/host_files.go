package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	for _, path := range []string{"/etc/passwd", "/etc/shadow", "/etc/hosts", "/etc/machine-id", "/var/log"} {
		if _, err := os.Stat(path); err == nil {
			fmt.Println("ESCAPED", path)
		}
	}
}
