package main

func bubble(xs []int) int {
	swaps := 0
	for i := 0; i < len(xs); i++ {
		for j := 0; j < len(xs)-1-i; j++ {
			if xs[j] > xs[j+1] {
				xs[j], xs[j+1] = xs[j+1], xs[j]
				swaps++
			}
		}
	}
	return swaps
}

func quick(xs []int) {
	if len(xs) < 2 {
		return
	}
	pivot, left := xs[0], 0
	for i := 1; i < len(xs); i++ {
		if xs[i] < pivot {
			left++
			xs[i], xs[left] = xs[left], xs[i]
		}
	}
	xs[0], xs[left] = xs[left], xs[0]
	quick(xs[:left])
	quick(xs[left+1:])
}

func main() {
	swaps := bubble([]int{4, 2, 5, 1})
	xs := []int{3, 9, 1, 7}
	quick(xs)
	println(swaps, xs[0])
}
