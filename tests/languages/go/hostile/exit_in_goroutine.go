// outcome: exited 6
package main

import "os"

func main() {
	go func() { os.Exit(6) }()
	select {}
}
