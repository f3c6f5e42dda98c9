// outcome: returned
package main

import (
	"fmt"
	"runtime"
	"time"
)

func main() {
	runtime.LockOSThread()
	timer := time.NewTimer(time.Millisecond)
	<-timer.C
	time.Sleep(time.Millisecond)
	fmt.Println("on")
}
