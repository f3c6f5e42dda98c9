// outcome: returned
// note: threads
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	sum := make(chan int, 10000)
	for i := 0; i < 10000; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); sum <- i }(i)
	}
	wg.Wait()
	fmt.Println(len(sum))
}
