// outcome: exited 2
package main

var x = compute(0)

func compute(n int) int { return 1 / n }

func main() {}
