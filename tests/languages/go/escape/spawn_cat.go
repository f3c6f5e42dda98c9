package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	fmt.Println("tried", len(os.Args))
	text, _ := exec.Command("/bin/cat", os.Args[1]).Output()
	if len(text) > 0 {
		fmt.Println("ESCAPED", string(text))
	}
}
