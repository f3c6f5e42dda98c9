// outcome: returned
package main

import (
	"fmt"
	"reflect"
	"unsafe"
)

func main() {
	xs := []int{1, 2}
	header := (*reflect.SliceHeader)(unsafe.Pointer(&xs))
	keep := *header
	header.Data = 0x7000_0000_0000
	n := 1
	*header = keep
	defer func() { fmt.Println(recover() != nil, n, xs) }()
	var p *int
	*p = 1
}
