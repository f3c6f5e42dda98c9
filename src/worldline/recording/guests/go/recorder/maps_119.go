//go:build !go1.24

package worldline

import (
	"reflect"
	"unsafe"
)

// mapHeader is the beginning of a map of the runtime: a table of buckets.
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

// isWritten says whether a goroutine is in the middle of changing the map.
func (h *mapHeader) isWritten() bool { return h.flags&isWriting != 0 }

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
