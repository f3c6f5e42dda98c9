// outcome: limit memory
// limits: memory=268435456
// plain: none
package main

func main() {
	kept := [][]byte{}
	for {
		more := make([]byte, 1<<20)
		for i := 0; i < len(more); i += 4096 { more[i] = 1 }
		kept = append(kept, more)
	}
}
