package main

import (
	"fmt"
	"net"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	if found, err := net.LookupHost("example.com"); err == nil {
		fmt.Println("ESCAPED", found)
	}
}
