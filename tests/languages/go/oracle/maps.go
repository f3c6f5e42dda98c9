package main

func count(text string) map[string]int {
	counts := map[string]int{}
	word := ""
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == ' ' {
			counts[word]++
			word = ""
			continue
		}
		word += string(text[i])
	}
	return counts
}

func main() {
	counts := count("a b a")
	a, known := counts["a"]
	delete(counts, "b")
	n := len(counts)
	if c, is := counts["c"]; !is {
		n += c - 1
	}
	println(a, known, n)
}
