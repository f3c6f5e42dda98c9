// outcome: unsupported source: line 5: could not import C
// plain: none
package main

import "C"

func main() {}
