// outcome: raised runtime.Error('invalid memory address or nil pointer dereference')
package main

type t struct{ a [10]int }

func main() {
	var p *t
	defer func() {
		r := recover()
		panic(r)
	}()
	p.a[3]++
}
