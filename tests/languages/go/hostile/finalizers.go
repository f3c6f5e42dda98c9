// outcome: returned
package main

import (
	"fmt"
	"runtime"
)

type thing struct{ data [100]int }

func make1() *thing {
	t := &thing{}
	runtime.SetFinalizer(t, func(*thing) { fmt.Println("collected") })
	t.data[0] = 1
	return t
}

func main() {
	t := make1()
	t = nil
	for i := 0; i < 3; i++ {
		runtime.GC()
		runtime.Gosched()
	}
	_ = t
}
