package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	if text, err := os.ReadFile(os.Args[1]); err == nil {
		fmt.Println("ESCAPED", string(text))
	}
}
