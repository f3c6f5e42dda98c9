package worldline

import (
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

const lowerHex = "0123456789abcdef"

// isEscaped says whether a canonical text escapes a character.
func isEscaped(c rune) bool {
	switch {
	case c < 0x20, c >= 0x7f && c <= 0xa0, c == 0xad:
		return true
	case c < 0x300:
		return false
	}
	switch c {
	case 0x34f, 0x61c, 0x1680, 0x180e, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return c >= 0x2000 && c <= 0x200f || c >= 0x2028 && c <= 0x202f || c >= 0x2060 && c <= 0x206f ||
		c >= 0xd800 && c <= 0xdfff || c >= 0xfff9 && c <= 0xfffb || c >= 0xe0000 && c <= 0xe007f
}

func appendEscape(out []byte, c rune) []byte {
	switch c {
	case '\n':
		return append(out, '\\', 'n')
	case '\r':
		return append(out, '\\', 'r')
	case '\t':
		return append(out, '\\', 't')
	}
	letter, digits := byte('x'), 2
	if c > 0xffff {
		letter, digits = 'U', 8
	} else if c > 0xff {
		letter, digits = 'u', 4
	}
	out = append(out, '\\', letter)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		out = append(out, lowerHex[c>>shift&15])
	}
	return out
}

func quoteFor(text string) byte {
	single := false
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			return '\''
		}
		single = single || text[i] == '\''
	}
	if single {
		return '"'
	}
	return '\''
}

// appendStr writes a str; bytes that are not UTF-8 become lone surrogates, as Python's streams have them.
func appendStr(out []byte, text string) []byte {
	quote := quoteFor(text)
	out = append(out, quote)
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7f {
			if c == quote || c == '\\' {
				out = append(out, '\\')
			}
			out = append(out, c)
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && width == 1 {
			r = 0xdc00 + rune(c)
		}
		if isEscaped(r) {
			out = appendEscape(out, r)
		} else {
			out = append(out, text[i:i+width]...)
		}
		i += width
	}
	return append(out, quote)
}

// appendBytes writes bytes as Python's repr does.
func appendBytes(out []byte, data string) []byte {
	quote := quoteFor(data)
	out = append(out, 'b', quote)
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == quote || c == '\\':
			out = append(out, '\\', c)
		case c >= 0x20 && c < 0x7f:
			out = append(out, c)
		default:
			out = appendEscape(out, rune(c))
		}
	}
	return append(out, quote)
}

// appendText writes a string of the program: a str, or bytes if it is not UTF-8.
func appendText(out []byte, text string) []byte {
	if utf8.ValidString(text) {
		return appendStr(out, text)
	}
	return appendBytes(out, text)
}

// appendFloat writes Python's shortest text that reads back as the same number.
func appendFloat(out []byte, value float64) []byte {
	switch {
	case math.IsInf(value, 1):
		return append(out, "inf"...)
	case math.IsInf(value, -1):
		return append(out, "-inf"...)
	case value != value:
		return appendNaN(out, math.Float64bits(value))
	}
	size := math.Abs(value)
	if size == 0 || size >= 1e-4 && size < 1e16 {
		start := len(out)
		out = strconv.AppendFloat(out, value, 'f', -1, 64)
		for _, c := range out[start:] {
			if c == '.' {
				return out
			}
		}
		return append(out, '.', '0')
	}
	return strconv.AppendFloat(out, value, 'e', -1, 64)
}

func appendNaN(out []byte, bits uint64) []byte {
	if bits == 0x7ff8000000000000 {
		return append(out, "nan"...)
	}
	out = append(out, "nan("...)
	for shift := 60; shift >= 0; shift -= 4 {
		out = append(out, lowerHex[bits>>shift&15])
	}
	return append(out, ')')
}

const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354" +
	"555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// appendInteger is strconv.AppendInt for a buffer with room for all digits.
func appendInteger(out []byte, value int64) []byte {
	rest := uint64(value)
	if value < 0 {
		out, rest = append(out, '-'), -rest
	}
	digits := 1
	for bound := uint64(10); rest >= bound; bound *= 10 { // to 10^19, which fits
		digits++
	}
	at := len(out) + digits
	out = out[:at]
	for ; rest >= 100; rest /= 100 {
		at -= 2
		pair := rest % 100 * 2
		out[at], out[at+1] = pairs[pair], pairs[pair+1]
	}
	if rest >= 10 {
		out[at-2], out[at-1] = pairs[rest*2], pairs[rest*2+1]
	} else {
		out[at-1] = byte('0' + rest)
	}
	return out
}

// countCharacters is utf8.RuneCount for valid text: all bytes but those that continue a character.
func countCharacters(text []byte) int {
	const lowest = 0x0101010101010101
	count, at := len(text), 0
	for ; at+8 <= len(text); at += 8 {
		word := wordAt(text, at)
		count -= bits.OnesCount64(word >> 7 &^ (word >> 6) & lowest)
	}
	for ; at < len(text); at++ {
		if text[at]&0xc0 == 0x80 {
			count--
		}
	}
	return count
}

// canonicalName returns a name as the grammar spells it: quoted unless it is an identifier.
func canonicalName(name string) string {
	identifier := name != ""
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 && !isEscaped(c)
		identifier = identifier && (letter || i > 0 && c >= '0' && c <= '9')
	}
	if identifier {
		return name
	}
	return string(appendStr(nil, name))
}

// isGrammarWord says whether a name without a number would read as something else.
func isGrammarWord(name string) bool {
	switch name {
	case "None", "True", "False", "Ellipsis", "NotImplemented", "inf", "nan", "float", "complex", "set", "frozenset",
		"bytearray", "deque", "range", "slice":
		return true
	}
	return false
}

func fingerprint(text []byte) uint64 {
	hash := uint64(14695981039346656037)
	for _, c := range text {
		hash = (hash ^ uint64(c)) * 1099511628211
	}
	return hash
}
