package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	fmt.Println("tried", len(os.Args))
	if syscall.Mount("none", "/box/tmp", "tmpfs", 0, "") == nil {
		fmt.Println("ESCAPED mount")
	}
	if syscall.Unshare(syscall.CLONE_NEWUSER) == nil {
		fmt.Println("ESCAPED unshare")
	}
	if syscall.PtraceAttach(1) == nil {
		fmt.Println("ESCAPED ptrace")
	}
	if syscall.Setuid(0) == nil && os.Getuid() == 0 && syscall.Chroot("/") == nil {
		fmt.Println("ESCAPED chroot")
	}
}
