package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	fmt.Println("tried", len(os.Args))
	for _, line := range os.Environ() {
		if strings.Contains(line, "CANARY") {
			fmt.Println("ESCAPED", line)
		}
	}
	text, _ := os.ReadFile("/proc/1/environ")
	if strings.Contains(string(text), "CANARY") {
		fmt.Println("ESCAPED", string(text))
	}
}
