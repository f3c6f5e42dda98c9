// outcome: unsupported source: line 5: could not import worldline
// plain: none
package main

import "worldline"

func main() { worldline.Begin() }
