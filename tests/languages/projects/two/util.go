package main

// doubles
func twice(n int) int {
	r := n * 2
	return r
}
