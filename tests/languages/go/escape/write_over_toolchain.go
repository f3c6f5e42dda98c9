package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	fmt.Println("tried", len(os.Args))
	for _, path := range []string{"/usr/mark", runtime.GOROOT() + "/mark", "/worldline/tools/importcfg", "/worldline/tools/mark", "/worldline/guests/go/guest.py"} {
		if os.WriteFile(path, []byte("poison"), 0o644) == nil {
			fmt.Println("ESCAPED", path)
		}
	}
}
