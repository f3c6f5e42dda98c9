package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	fmt.Println("tried", len(os.Args))
	for fd := 3; fd < 4096; fd++ {
		link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil || strings.HasPrefix(link, "anon_inode:") || strings.HasPrefix(link, "pipe:") {
			continue
		}
		fmt.Println("ESCAPED", fd, link)
	}
}
