// outcome: raised runtime.Error('index out of range [3] with length 0')
package main

//line other.go:100
func f(xs []int) int {
	return xs[3]
}

//line /etc/passwd:1
func main() {
	f(nil)
}
