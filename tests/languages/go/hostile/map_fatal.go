// outcome: exited 2
// note: threads
package main

import "runtime"

func main() {
	runtime.GOMAXPROCS(4)
	m := map[int]int{}
	for i := 0; i < 4; i++ {
		go func() {
			for n := 0; ; n++ {
				m[n%1000]++
			}
		}()
	}
	select {}
}
