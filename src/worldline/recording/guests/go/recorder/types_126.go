//go:build go1.26

package worldline

const directByte = 20 // of a type: the one of its flags has the bit that isDirect reads
