package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

type count struct {
	word string
	n    int
}

func main() {
	in := bufio.NewReader(os.Stdin)
	counts := map[string]int{}
	for {
		line, err := in.ReadString('\n')
		for _, word := range strings.Fields(line) {
			counts[strings.ToLower(word)]++
		}
		if err != nil {
			break
		}
	}
	var list []count
	for word, n := range counts {
		list = append(list, count{word, n})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].n != list[j].n {
			return list[i].n > list[j].n
		}
		return list[i].word < list[j].word
	})
	for _, c := range list {
		fmt.Printf("%s %d\n", c.word, c.n)
	}
	text := "añb\xffc"
	for i, r := range text {
		fmt.Print(i, r, " ")
	}
	raw := []byte(text)
	raw[0] = 'z'
	raw = append(raw, '\'', '"')
	fmt.Printf("%q\n", raw)
}
