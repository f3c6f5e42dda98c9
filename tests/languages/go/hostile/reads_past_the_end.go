// outcome: returned
// stdin: 'one\n'
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	n, again := os.Stdin.Read(make([]byte, 5))
	fmt.Println(len(text), err, n, again)
}
