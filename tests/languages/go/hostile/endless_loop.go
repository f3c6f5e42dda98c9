// outcome: limit time
// limits: wall=2
// plain: none
package main

func main() {
	for {
	}
}
