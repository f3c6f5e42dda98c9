package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	if os.WriteFile(os.Args[2], []byte("x"), 0o644) == nil {
		fmt.Println("ESCAPED")
	}
}
