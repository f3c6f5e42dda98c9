package main

import (
	"fmt"
	"math"
	"math/big"
	"os"
)

type Celsius float64

type Weekday int

const (
	Sunday Weekday = iota
	Monday
)

func (d Weekday) String() string { return [...]string{"Sun", "Mon"}[d] }

func fib(n int) *big.Int {
	a, b := big.NewInt(0), big.NewInt(1)
	for i := 0; i < n; i++ {
		a.Add(a, b)
		a, b = b, a
	}
	return a
}

func main() {
	var (
		i8  int8    = 127
		u8  uint8   = 250
		u64 uint64  = math.MaxUint64
		f32 float32 = 0.1
	)
	i8++
	u8 += 10
	u64++
	f32 *= 3
	inf, nan := math.Inf(-1), math.NaN()
	zero := math.Copysign(0, -1)
	c := complex(1, -2)
	c *= c
	r := 'é'
	r++
	temp := Celsius(36.6)
	day := Monday
	shifted := -17 >> 2
	bits := 0b1011 &^ 2
	big := fib(100)
	tiny, huge := 1e-7, 1e21
	fmt.Println(i8, u8, u64, f32, inf, nan, zero, c, r, temp, day, shifted, bits, big, tiny, huge)
	if day != Sunday {
		os.Exit(7)
	}
}
