package worldline

import (
	"strconv"
	"unsafe"
)

type objectKey struct {
	address uintptr
	shape   *shape
}

// numbered is an object that a value showed before: its number, and the newest value that wrote it out.
type numbered struct {
	number int
	value  uint64
}

// container is a slice or map that the current value holds, for labels.
type container struct {
	key    objectKey
	length int
	at     int
	again  []int
}

// renderer writes canonical values; there is one, and it is used by one goroutine.
type renderer struct {
	out        []byte
	maxBytes   int
	maxDepth   int
	value      uint64
	objects    map[objectKey]*numbered
	fresh      []objectKey // numbered in this value
	containers []container
	hasLabels  bool
	isOver     bool
	isPlain    bool // for a digest: without numbers
	isMoved    bool // what is written now will stand elsewhere: a key of a map
	plainSeen  []objectKey
	plainLimit int
	watched    *watch
}

var render = renderer{objects: map[objectKey]*numbered{}}

// text returns the canonical text of the value at an address; what decides it is added to `watched`.
func (r *renderer) text(s *shape, p unsafe.Pointer, watched *watch) []byte {
	r.out = r.out[:0]
	r.value++
	r.fresh, r.containers = r.fresh[:0], r.containers[:0]
	r.hasLabels, r.isOver, r.isPlain, r.isMoved, r.watched = false, false, false, false, watched
	r.note(p, s.size)
	r.write(s, p, 0)
	r.watched = nil
	if r.isOver || len(r.out) > r.maxBytes {
		return r.cutWhole(s, p)
	}
	if r.hasLabels {
		r.label()
	}
	return r.out
}

// cutWhole replaces a value that is too long; its objects were not shown, so they have no numbers.
func (r *renderer) cutWhole(s *shape, p unsafe.Pointer) []byte {
	for _, key := range r.fresh {
		delete(r.objects, key)
	}
	r.out = r.out[:0]
	r.isOver = false
	r.cut(s, p)
	return r.out
}

// note remembers memory that decides the text of the current value.
func (r *renderer) note(p unsafe.Pointer, size uintptr) {
	if r.watched != nil {
		r.watched.add(p, size)
	}
}

func (r *renderer) put(text string) {
	r.out = append(r.out, text...)
}

func (r *renderer) write(s *shape, p unsafe.Pointer, depth int) {
	if r.isPlain && len(r.out) > r.plainLimit {
		return
	}
	if len(r.out) > r.maxBytes && !r.isPlain {
		r.isOver = true
		return
	}
	switch s.kind {
	case kindBool:
		if *(*bool)(p) {
			r.put("True")
		} else {
			r.put("False")
		}
	case kindInt8, kindInt16, kindInt32, kindInt64:
		r.out = strconv.AppendInt(r.out, readInt(s.kind, p), 10)
	case kindUint8, kindUint16, kindUint32, kindUint64:
		r.out = strconv.AppendUint(r.out, uint64(readInt(s.kind, p)), 10)
	case kindFloat32:
		r.out = appendFloat(r.out, float64(*(*float32)(p)))
	case kindFloat64:
		r.out = appendFloat(r.out, *(*float64)(p))
	case kindComplex64:
		c := *(*complex64)(p)
		r.complex(float64(real(c)), float64(imag(c)))
	case kindComplex128:
		c := *(*complex128)(p)
		r.complex(real(c), imag(c))
	case kindString:
		r.string(*(*string)(p))
	case kindFunc:
		r.function(*(*unsafe.Pointer)(p), depth)
	case kindOpaque:
		r.put(s.name)
	default:
		if depth >= r.maxDepth {
			r.cut(s, p)
			return
		}
		r.composite(s, p, depth)
	}
}

func (r *renderer) composite(s *shape, p unsafe.Pointer, depth int) {
	switch s.kind {
	case kindSlice:
		r.slice(s, (*sliceHeader)(p), depth)
	case kindArray:
		r.items(s.elem, p, s.length, depth)
	case kindMap:
		r.dict(s, *(*unsafe.Pointer)(p), depth)
	case kindPointer:
		r.pointer(s, *(*unsafe.Pointer)(p), depth)
	case kindStruct:
		r.name(s)
		r.fields(s, p, depth)
	case kindInterface:
		r.dynamic(s, (*eface)(p), depth)
	case kindChan:
		r.channel(s, *(*unsafe.Pointer)(p), depth)
	case kindSpecial:
		s.special(r, s, p, 0, depth)
	}
}

func readInt(k kind, p unsafe.Pointer) int64 {
	switch k {
	case kindInt8:
		return int64(*(*int8)(p))
	case kindInt16:
		return int64(*(*int16)(p))
	case kindInt32:
		return int64(*(*int32)(p))
	case kindUint8:
		return int64(*(*uint8)(p))
	case kindUint16:
		return int64(*(*uint16)(p))
	case kindUint32:
		return int64(*(*uint32)(p))
	}
	return *(*int64)(p)
}

func (r *renderer) complex(re, im float64) {
	r.put("complex(")
	r.out = appendFloat(r.out, re)
	r.put(", ")
	r.out = appendFloat(r.out, im)
	r.put(")")
}

func (r *renderer) string(text string) {
	if len(text) > r.maxBytes*4 || len(r.out)+len(text) > r.maxBytes {
		r.isOver = true
		return
	}
	r.out = appendText(r.out, text)
}

// name writes the name of a struct that is a value, not the target of a pointer: it has no number.
func (r *renderer) name(s *shape) {
	if isGrammarWord(s.name) {
		r.put("'" + s.name + "'")
		return
	}
	r.put(s.name)
}

func (r *renderer) fields(s *shape, p unsafe.Pointer, depth int) {
	r.put("(")
	for i := range s.fields {
		f := &s.fields[i]
		if i > 0 {
			r.put(", ")
		}
		r.put(f.name)
		r.put("=")
		r.write(f.shape, unsafe.Add(p, f.offset), depth+1)
	}
	r.put(")")
}

// pointer writes what it points to, numbered, and only the number where the value holds it already.
func (r *renderer) pointer(s *shape, p unsafe.Pointer, depth int) {
	if p == nil {
		r.put("None")
		return
	}
	target := s.elem
	if target.kind == kindSpecial {
		r.note(p, target.size)
		target.special(r, target, p, uintptr(p), depth)
		return
	}
	name := s.name
	if target.kind == kindStruct {
		name = target.name
	}
	if r.number(name, objectKey{uintptr(p), target}) {
		return
	}
	r.note(p, target.size)
	if target.kind == kindStruct {
		r.fields(target, p, depth)
		return
	}
	r.put("(")
	r.write(target, p, depth+1)
	r.put(")")
}

// number writes the name and number of an object, and says whether that is all: it was written out before.
func (r *renderer) number(name string, key objectKey) bool {
	if r.isPlain {
		r.put(name)
		return r.plainAgain(key)
	}
	known := r.objects[key]
	if known == nil {
		known = &numbered{number: len(r.objects) + 1}
		r.objects[key] = known
		r.fresh = append(r.fresh, key)
	}
	r.put(name)
	r.put("#")
	r.out = strconv.AppendInt(r.out, int64(known.number), 10)
	again := known.value == r.value
	known.value = r.value
	return again
}

func (r *renderer) plainAgain(key objectKey) bool {
	for _, known := range r.plainSeen {
		if known == key {
			return true
		}
	}
	r.plainSeen = append(r.plainSeen, key)
	return len(r.plainSeen) > 64
}

// dynamic writes what an interface holds.
func (r *renderer) dynamic(s *shape, held *eface, depth int) {
	word := held.typ
	if word == nil {
		r.put("None")
		return
	}
	if s.methods { // the first word is a table of methods, whose second word is the type
		word = *(*unsafe.Pointer)(unsafe.Add(word, 8))
	}
	inner := shapeOfWord(word)
	if isDirect(word) {
		r.write(inner, unsafe.Pointer(&held.data), depth)
		return
	}
	r.write(inner, held.data, depth)
}

// cut writes what stands for a value that is too deep or too long.
func (r *renderer) cut(s *shape, p unsafe.Pointer) {
	name, length := s.measure(p)
	r.put("...<" + name + " ")
	r.out = strconv.AppendInt(r.out, int64(length), 10)
	r.put(">")
}
