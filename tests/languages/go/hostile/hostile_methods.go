// outcome: returned
package main

import "os"

type loud struct{ n int }

func (l loud) String() string   { println("called"); os.Exit(9); return "" }
func (l loud) Error() string    { panic("called") }
func (l *loud) GoString() string { l.n++; return "" }
func (l loud) Format()          { os.Exit(8) }

func main() {
	a := loud{1}
	b := &a
	var c error = a
	m := map[loud]error{a: c}
	b.n++
	_ = m
}
