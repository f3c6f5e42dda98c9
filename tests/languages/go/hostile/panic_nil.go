// outcome: raised None
package main

func main() {
	defer func() {
		if recover() != nil {
			println("not nil")
		}
		panic(nil)
	}()
	panic(nil)
}
