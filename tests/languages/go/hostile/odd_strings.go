// outcome: returned
package main

import "fmt"

func main() {
	texts := []string{"\x00\xff", "\u2028", "'", "\"'", "\\", "\U0001F600", "e\u0301", "\u202e", "\ufeff", "\xed\xa0\x80"}
	names := map[string]int{}
	for i, t := range texts {
		names[t] = i
		fmt.Print(t, "|")
	}
	日本 := "é"
	_ = 日本
}
