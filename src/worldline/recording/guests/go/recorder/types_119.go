//go:build !go1.26

package worldline

const directByte = 23 // of a type: the one of its kind has the bit that isDirect reads
