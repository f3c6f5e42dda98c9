// outcome: exited 2
package main

func main() {
	go func() { panic("there") }()
	select {}
}
