package worldline

import "unsafe"

const (
	largeBytes   = 256
	spliceCost   = 48       // a chain of splices costs at most the length of its last text
	maxKeptBytes = 32 << 20 // of all large values; beyond them values are written whole
)

// largeValue is the large value that was written last for a name, of which the next one may be a splice.
type largeValue struct {
	text   []byte
	number int // among the large values
	cost   int // of the chain
}

var keptBytes int

// tell writes a changed value: whole, or as a splice of the one before it.
func (f *Frame) tell(k int, state *slotState, text []byte) {
	state.isTold = true
	name := f.code.Slots[k].id
	if len(text) < largeBytes {
		state.forgetLarge()
		wire.delta(f.serial, name, text)
		return
	}
	if before := state.large; before != nil {
		prefix, suffix := commonEnds(before.text, text)
		if before.splice(f.serial, name, text, prefix, suffix) {
			before.keep(text)
			return
		}
	}
	wire.delta(f.serial, name, text)
	wire.large++
	if state.large == nil && keptBytes+len(text) <= maxKeptBytes {
		state.large = &largeValue{}
	}
	if state.large != nil {
		state.large.number, state.large.cost = wire.large, 0
		state.large.keep(text)
	}
}

func (l *largeValue) keep(text []byte) {
	keptBytes += len(text) - len(l.text)
	l.text = append(l.text[:0], text...)
}

func (s *slotState) forgetLarge() {
	if s.large != nil {
		keptBytes -= len(s.large.text)
		s.large = nil
	}
}

// splice writes the value as a splice; false: its chain has grown too long for that.
func (l *largeValue) splice(frame, name int, text []byte, prefix, suffix int) bool {
	end := len(text) - suffix
	first, between, last := countCharacters(text[:prefix]), countCharacters(text[prefix:end]), countCharacters(text[end:])
	if l.cost+between+spliceCost > first+between+last {
		return false
	}
	wire.splice(frame, name, wire.large-l.number+1, first, last, text[prefix:end])
	wire.large++
	l.cost += between + spliceCost
	l.number = wire.large
	return true
}

// commonEnds returns how many bytes two texts have in common, at the beginning and then at the end; no character is torn.
func commonEnds(was, is []byte) (prefix, suffix int) {
	limit := len(was)
	if len(is) < limit {
		limit = len(is)
	}
	for prefix+8 <= limit && wordAt(was, prefix) == wordAt(is, prefix) {
		prefix += 8
	}
	for prefix < limit && was[prefix] == is[prefix] {
		prefix++
	}
	for prefix > 0 && prefix < len(is) && is[prefix]&0xc0 == 0x80 {
		prefix--
	}
	limit -= prefix
	for suffix+8 <= limit && wordAt(was, len(was)-suffix-8) == wordAt(is, len(is)-suffix-8) {
		suffix += 8
	}
	for suffix < limit && was[len(was)-suffix-1] == is[len(is)-suffix-1] {
		suffix++
	}
	for suffix > 0 && is[len(is)-suffix]&0xc0 == 0x80 {
		suffix--
	}
	return prefix, suffix
}

func wordAt(data []byte, at int) uint64 {
	return *(*uint64)(unsafe.Pointer(&data[at]))
}
