// outcome: raised loud(n=1)
// perturbed: the runtime's own text
package main

type loud struct{ n int }

func (l loud) Error() string { panic("in Error") }

func main() {
	panic(loud{1})
}
