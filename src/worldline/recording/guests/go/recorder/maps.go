package worldline

import (
	"bytes"
	"sort"
	"unsafe"
)

const commonSeed = 1 // of every map, with the edits of the runtime

type mapEntry struct {
	key, value unsafe.Pointer
	from, to   int // the text of the key
}

// dict writes a map in canonical order. It reads the memory of the map itself (maps_*.go): an iterator of the runtime
// would mark the map, and does not say which memory decides the text.
func (r *renderer) dict(s *shape, p unsafe.Pointer, depth int) {
	h := (*mapHeader)(p)
	switch {
	case h == nil:
		r.put("None")
		return
	case h.isWritten(): // by another goroutine, which waits in the middle of it
		r.put("<map>")
		return
	case h.count > r.maxBytes/6+1: // of each entry two digits, a colon, a comma, two spaces
		r.isOver = true
		return
	}
	r.note(p, unsafe.Sizeof(*h))
	if h.count > 0 && !r.enter(objectKey{uintptr(p), s}, 0) {
		return
	}
	entries := r.entries(s, h)
	texts := r.keyTexts(s, entries, depth)
	sort.Slice(entries, func(i, j int) bool { return keyBefore(s.key, texts, &entries[i], &entries[j]) })
	r.put("{")
	for i := range entries {
		if i > 0 {
			r.put(", ")
		}
		entry := &entries[i]
		r.out = append(r.out, texts[entry.from:entry.to]...)
		r.put(": ")
		r.write(s.elem, entry.value, depth+1)
		if r.isOver {
			return
		}
	}
	r.put("}")
}

// keyTexts writes the text of each key, and takes them off the value again.
func (r *renderer) keyTexts(s *shape, entries []mapEntry, depth int) []byte {
	start, wasMoved := len(r.out), r.isMoved
	r.isMoved = true
	for i := range entries {
		entries[i].from = len(r.out) - start
		r.write(s.key, entries[i].key, depth+1)
		entries[i].to = len(r.out) - start
	}
	r.isMoved = wasMoved
	texts := append([]byte(nil), r.out[start:]...)
	r.out = r.out[:start]
	return texts
}

func keyBefore(key *shape, texts []byte, a, b *mapEntry) bool {
	switch {
	case key.kind >= kindInt8 && key.kind <= kindInt64:
		return readInt(key.kind, a.key) < readInt(key.kind, b.key)
	case key.kind >= kindUint8 && key.kind <= kindUint64:
		return uint64(readInt(key.kind, a.key)) < uint64(readInt(key.kind, b.key))
	case key.kind == kindFloat64:
		x, y := *(*float64)(a.key), *(*float64)(b.key)
		if x != y && x == x && y == y {
			return x < y
		}
		return x == x && y != y
	case key.kind == kindInterface:
		return dynamicBefore(texts, a, b)
	}
	return bytes.Compare(texts[a.from:a.to], texts[b.from:b.to]) < 0
}

// dynamicBefore orders keys of different types: numbers first, shorter ones before longer ones, then all others.
func dynamicBefore(texts []byte, a, b *mapEntry) bool {
	x, y := texts[a.from:a.to], texts[b.from:b.to]
	xNumber, yNumber := x[0] >= '0' && x[0] <= '9', y[0] >= '0' && y[0] <= '9'
	if xNumber != yNumber {
		return xNumber
	}
	if xNumber && len(x) != len(y) {
		return len(x) < len(y)
	}
	return bytes.Compare(x, y) < 0
}

// hasCommonSeeds says whether the program has the edited runtime: then maps have the same order in every recording.
func hasCommonSeeds() bool {
	sample := make(map[int]int)
	sample[0] = 0
	return (*(**mapHeader)(unsafe.Pointer(&sample))).seed == commonSeed
}
