package worldline

import (
	"bytes"
	"reflect"
	"sort"
	"unsafe"
)

// mapHeader is the beginning of a map of the runtime, Go 1.18 to 1.23.
type mapHeader struct {
	count      int
	flags      uint8
	logBuckets uint8
	_          uint16
	seed       uint32
	buckets    unsafe.Pointer
	oldBuckets unsafe.Pointer
}

const (
	commonSeed    = 1 // of every map, with the edits of the runtime
	isWriting     = 4
	isSameSize    = 8
	bucketEntries = 8
	minTopHash    = 5
	firstMoved    = 2 // of an old bucket's first byte, up to minTopHash: its entries are elsewhere
)

// mapLayout says where a bucket has its keys and values.
type mapLayout struct {
	keySize     uintptr
	valueSize   uintptr
	bucketSize  uintptr
	keyIsAway   bool // the bucket has a pointer to it
	valueIsAway bool
}

func mapLayoutOf(typ reflect.Type) mapLayout {
	const away, sizes = 128, 48 + 4*8
	word := typeWord(typ)
	return mapLayout{
		keySize:     uintptr(*(*uint8)(unsafe.Add(word, sizes))),
		valueSize:   uintptr(*(*uint8)(unsafe.Add(word, sizes+1))),
		bucketSize:  uintptr(*(*uint16)(unsafe.Add(word, sizes+2))),
		keyIsAway:   typ.Key().Size() > away,
		valueIsAway: typ.Elem().Size() > away,
	}
}

type mapEntry struct {
	key, value unsafe.Pointer
	from, to   int // the text of the key
}

// dict writes a map in canonical order. It reads the buckets itself: an iterator of the runtime would mark the map.
func (r *renderer) dict(s *shape, p unsafe.Pointer, depth int) {
	h := (*mapHeader)(p)
	switch {
	case h == nil:
		r.put("None")
		return
	case h.flags&isWriting != 0: // by another goroutine, which waits in the middle of it
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

func (r *renderer) entries(s *shape, h *mapHeader) []mapEntry {
	entries := make([]mapEntry, 0, h.count)
	if h.buckets != nil {
		entries = r.bucketEntries(s, entries, h.buckets, 1<<h.logBuckets, false)
	}
	if h.oldBuckets != nil {
		count := uintptr(1) << h.logBuckets
		if h.flags&isSameSize == 0 {
			count >>= 1
		}
		entries = r.bucketEntries(s, entries, h.oldBuckets, count, true)
	}
	return entries
}

func (r *renderer) bucketEntries(s *shape, into []mapEntry, p unsafe.Pointer, count uintptr, old bool) []mapEntry {
	layout := &s.mapped
	r.note(p, count*layout.bucketSize)
	for i := uintptr(0); i < count; i++ {
		bucket := unsafe.Add(p, i*layout.bucketSize)
		if first := *(*uint8)(bucket); old && first >= firstMoved && first < minTopHash {
			continue
		}
		for isFirst := true; bucket != nil; isFirst = false {
			if !isFirst {
				r.note(bucket, layout.bucketSize)
			}
			into = layout.entriesOf(into, bucket, s, r)
			bucket = *(*unsafe.Pointer)(unsafe.Add(bucket, layout.bucketSize-8))
		}
	}
	return into
}

func (layout *mapLayout) entriesOf(into []mapEntry, bucket unsafe.Pointer, s *shape, r *renderer) []mapEntry {
	values := bucketEntries + bucketEntries*layout.keySize
	for k := uintptr(0); k < bucketEntries; k++ {
		if *(*uint8)(unsafe.Add(bucket, k)) < minTopHash {
			continue
		}
		key := unsafe.Add(bucket, bucketEntries+k*layout.keySize)
		value := unsafe.Add(bucket, values+k*layout.valueSize)
		if layout.keyIsAway {
			key = *(*unsafe.Pointer)(key)
		}
		if layout.valueIsAway {
			value = *(*unsafe.Pointer)(value)
			r.note(value, s.elem.size)
		}
		into = append(into, mapEntry{key: key, value: value})
	}
	return into
}

// hasCommonSeeds says whether the program has the edited runtime: then maps have the same order in every recording.
func hasCommonSeeds() bool {
	sample := make(map[int]int)
	sample[0] = 0
	return (*(**mapHeader)(unsafe.Pointer(&sample))).seed == commonSeed
}
