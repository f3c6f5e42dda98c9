package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	os.Symlink(os.Args[1], "symbolic")
	if text, err := os.ReadFile("symbolic"); err == nil {
		fmt.Println("ESCAPED", string(text))
	}
	if os.Link(os.Args[1], "hard") == nil {
		fmt.Println("ESCAPED")
	}
}
