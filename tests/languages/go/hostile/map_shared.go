// outcome: returned
// note: threads
package main

import (
	"fmt"
	"runtime"
	"sync"
)

func main() {
	runtime.GOMAXPROCS(4)
	m := map[int]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func(i int) {
			for n := 0; n < 20000; n++ {
				mu.Lock()
				m[n%500+i] = "x"
				delete(m, n%400)
				mu.Unlock()
			}
			wg.Done()
		}(i)
	}
	total := 0
	for n := 0; n < 300; n++ {
		total += n
	}
	wg.Wait()
	fmt.Println(total)
}
