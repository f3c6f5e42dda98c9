package main

import "fmt"

func vowels(word string) int {
	count := 0
	for i := 0; i < len(word); i++ {
		switch word[i] {
		case 'a', 'e', 'i', 'o', 'u':
			count++
		}
	}
	return count
}

func main() {
	words := []string{"one", "two", "queue"}
	total := 0
	most := 0
	for i := 0; i < len(words); i++ {
		found := vowels(words[i])
		total += found
		if found > most {
			most = found
		}
	}
	mean := float64(total) / float64(len(words))
	fmt.Println(total, most, mean)
}
