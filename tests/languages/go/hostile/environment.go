// outcome: returned
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	for _, line := range os.Environ() {
		if strings.Contains(line, "WORLDLINE") {
			fmt.Println(line)
		}
	}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, entry := range entries {
		link, _ := os.Readlink("/proc/self/fd/" + entry.Name())
		if strings.Contains(link, "memfd") && len(entry.Name()) > 1 {
			fmt.Println(link)
		}
	}
}
