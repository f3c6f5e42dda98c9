package main

func reversed(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

func vowels(s string) (count int) {
	for _, r := range s {
		switch r {
		case 'a', 'e', 'i', 'o', 'u':
			count++
		}
	}
	return count
}

func main() {
	word := "hello"
	back := reversed(word)
	n := vowels(word + back)
	ok := word == reversed(back)
	println(back, n, ok)
}
