// outcome: exited 3
package main

import "os"

func init() { os.Exit(3) }

func main() {}
