package worldline

import (
	"bytes"
	"sort"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

type sliceHeader struct {
	data     unsafe.Pointer
	length   int
	capacity int
}

func (r *renderer) slice(s *shape, h *sliceHeader, depth int) {
	switch {
	case h.data == nil:
		r.put("None")
		return
	case h.length > r.maxBytes || !s.isBytes && h.length > r.maxBytes/3+1: // of each item a digit, a comma, a space
		r.isOver = true
		return
	}
	if h.length > 0 && !r.enter(objectKey{uintptr(h.data), s}, h.length) {
		return
	}
	r.note(h.data, uintptr(h.length)*s.elem.size)
	if s.isBytes {
		r.put("bytearray(")
		r.out = appendBytes(r.out, unsafeString(h.data, h.length))
		r.put(")")
		return
	}
	r.items(s.elem, h.data, h.length, depth)
}

func unsafeString(data unsafe.Pointer, length int) string {
	header := struct {
		data   unsafe.Pointer
		length int
	}{data, length}
	return *(*string)(unsafe.Pointer(&header))
}

func (r *renderer) items(elem *shape, p unsafe.Pointer, length, depth int) {
	r.put("[")
	if elem.kind == kindInt64 && !r.isPlain {
		r.integers(unsafe.Slice((*int64)(p), length))
		r.put("]")
		return
	}
	for i := 0; i < length && !r.isOver; i++ {
		if i > 0 {
			r.put(", ")
		}
		r.write(elem, unsafe.Add(p, uintptr(i)*elem.size), depth+1)
	}
	r.put("]")
}

// integers is the loop of items for the most common element.
func (r *renderer) integers(values []int64) {
	const longest = len("-9223372036854775808, ")
	for i, value := range values {
		if len(r.out) > r.maxBytes {
			r.isOver = true
			return
		}
		if cap(r.out)-len(r.out) < longest {
			r.out = append(r.out, make([]byte, longest+len(r.out))...)[:len(r.out)]
		}
		if i > 0 {
			r.out = append(r.out, ',', ' ')
		}
		r.out = appendInteger(r.out, value)
	}
}

// enter notes a container of the current value. False: the value holds it already, and a reference is written.
func (r *renderer) enter(key objectKey, length int) bool {
	if r.isPlain || r.isMoved {
		return true
	}
	for i := range r.containers {
		known := &r.containers[i]
		if known.key == key && known.length == length {
			known.again = append(known.again, len(r.out))
			r.hasLabels = true
			return false
		}
	}
	if len(r.containers) < 4096 { // beyond them a second occurrence is written out
		r.containers = append(r.containers, container{key: key, length: length, at: len(r.out)})
	}
	return true
}

// label numbers the containers that occur twice, in the order of the text.
func (r *renderer) label() {
	type mark struct {
		at   int
		text string
	}
	var marks []mark
	number := 0
	for _, known := range r.containers {
		if len(known.again) == 0 {
			continue
		}
		number++
		text := "#" + strconv.Itoa(number)
		marks = append(marks, mark{known.at, text})
		for _, at := range known.again {
			marks = append(marks, mark{at, text})
		}
	}
	sort.SliceStable(marks, func(i, j int) bool { return marks[i].at < marks[j].at })
	var out []byte
	from := 0
	for _, m := range marks {
		out = append(append(out, r.out[from:m.at]...), m.text...)
		from = m.at
	}
	r.out = append(out, r.out[from:]...)
}

func (r *renderer) channel(s *shape, p unsafe.Pointer, depth int) {
	if p == nil {
		r.put("None")
		return
	}
	if r.number("chan", objectKey{uintptr(p), s}) {
		return
	}
	h := (*chanHeader)(p)
	r.note(p, unsafe.Sizeof(*h))
	r.note(h.buffer, uintptr(h.capacity)*s.elem.size)
	r.put("([")
	for i := uint(0); i < h.count && !r.isOver; i++ {
		if i > 0 {
			r.put(", ")
		}
		r.write(s.elem, unsafe.Add(h.buffer, uintptr((h.received+i)%h.capacity)*s.elem.size), depth+1)
	}
	r.put("], cap=")
	r.out = strconv.AppendUint(r.out, uint64(h.capacity), 10)
	if h.closed != 0 {
		r.put(", closed=True")
	}
	r.put(")")
}

// measure returns the kind and the length that stand in place of a value that is cut.
func (s *shape) measure(p unsafe.Pointer) (string, int) {
	switch s.kind {
	case kindString:
		text := *(*string)(p)
		if !utf8.ValidString(text) {
			return "bytes", len(text)
		}
		return "str", utf8.RuneCountInString(text)
	case kindSlice:
		if s.isBytes {
			return "bytearray", (*sliceHeader)(p).length
		}
		return "list", (*sliceHeader)(p).length
	case kindArray:
		return "list", s.length
	case kindMap:
		if h := *(**mapHeader)(p); h != nil {
			return "dict", h.count
		}
		return "dict", 0
	case kindPointer:
		if s.elem.kind == kindStruct {
			return s.elem.name, len(s.elem.fields)
		}
		return s.name, 1
	case kindInterface:
		return s.measureDynamic((*eface)(p))
	case kindChan:
		return "chan", 0
	}
	return s.name, len(s.fields)
}

func (s *shape) measureDynamic(held *eface) (string, int) {
	word := held.typ
	if word == nil {
		return "interface", 0
	}
	if s.methods {
		word = *(*unsafe.Pointer)(unsafe.Add(word, 8))
	}
	if isDirect(word) {
		return shapeOfWord(word).measure(unsafe.Pointer(&held.data))
	}
	return shapeOfWord(word).measure(held.data)
}

// watch is the memory that decided a text, and what it was: while it is the same, so is the text.
type watch struct {
	places []place
	copied []byte
	isFull bool
}

// place has an address that is no reference: the recorder keeps nothing alive. Places come after what leads to them.
type place struct {
	address uintptr
	size    uintptr
}

const maxWatched = 1 << 20

func (w *watch) reset() {
	w.places, w.copied, w.isFull = w.places[:0], w.copied[:0], false
}

// add is not inlined: the compiler of Go 1.26 crashes where the size is a constant.
//
//go:noinline
func (w *watch) add(p unsafe.Pointer, size uintptr) {
	if size == 0 || w.isFull {
		return
	}
	if len(w.copied)+int(size) > maxWatched {
		w.isFull = true
		return
	}
	w.places = append(w.places, place{uintptr(p), size})
	w.copied = append(w.copied, bytesAt(uintptr(p), size)...)
}

// holds says whether the memory is what it was.
func (w *watch) holds() bool {
	if w.isFull || len(w.places) == 0 {
		return false
	}
	at := uintptr(0)
	for _, known := range w.places {
		if !bytes.Equal(bytesAt(known.address, known.size), w.copied[at:at+known.size]) {
			return false
		}
		at += known.size
	}
	return true
}

func bytesAt(address, size uintptr) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), size)
}
