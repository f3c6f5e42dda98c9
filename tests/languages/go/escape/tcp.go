package main

import (
	"fmt"
	"net"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	if _, err := net.Dial("tcp", "127.0.0.1:"+os.Args[3]); err == nil {
		fmt.Println("ESCAPED")
	}
}
