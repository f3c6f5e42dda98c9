package worldline

import (
	"reflect"
	"strconv"
	"time"
	"unsafe"
)

// special writes a value of a type of the library. `pointed` is its address if it is shown through a pointer.
type special func(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, depth int)

var specials map[string]special

func init() {
	specials = map[string]special{
		"errors.errorString":     errorText,
		"fmt.wrapError":          errorText,
		"strings.Builder":        builderText,
		"strings.Reader":         readerText,
		"bytes.Buffer":           bufferText,
		"math/big.Int":           bigText,
		"container/list.List":    listText,
		"container/list.Element": elementText,
		"sync.Mutex":             mutexText,
		"time.Time":              timeText,
		"time.Timer":             opaque,
		"time.Ticker":            opaque,
		"os.File":                opaque,
		"reflect.Value":          opaque,
		"reflect.rtype":          opaque,
		"sync.Once":              onceText,
		"sync/atomic.Int32":      atomicText,
		"sync/atomic.Int64":      atomicText,
		"sync/atomic.Uint32":     atomicText,
		"sync/atomic.Uint64":     atomicText,
		"sync/atomic.Bool":       atomicText,
	}
	anyShape = shapeOf(reflect.TypeOf((*any)(nil)).Elem())
}

// specialOf returns how a type of the library is written; nil if it is written as any other.
func specialOf(typ reflect.Type) special {
	path := typ.PkgPath()
	if path == "" || path == "main" {
		return nil
	}
	if path == "runtime" && reflect.PointerTo(typ).Implements(reflect.TypeOf((*error)(nil)).Elem()) {
		return runtimeErrorText
	}
	if path == "context" && typ.Kind() == reflect.Struct {
		return opaque
	}
	return specials[path+"."+typ.Name()]
}

// object writes the name, with a number where a pointer shows it. True: the value holds it already.
func (r *renderer) object(s *shape, pointed uintptr) bool {
	if pointed != 0 {
		return r.number(s.name, objectKey{pointed, s})
	}
	r.put(s.name)
	return false
}

func stringAt(p unsafe.Pointer) string { return *(*string)(p) }

// errorText writes an error of the library as its message; nothing else of it can change.
func errorText(r *renderer, s *shape, p unsafe.Pointer, _ uintptr, depth int) {
	r.put(s.name + "(")
	r.string(stringAt(p))
	if len(s.typedFields()) > 1 {
		r.put(", err=")
		r.write(shapeOf(s.typ.Field(1).Type), unsafe.Add(p, s.typ.Field(1).Offset), depth+1)
	}
	r.put(")")
}

func (s *shape) typedFields() []reflect.StructField {
	return reflect.VisibleFields(s.typ)
}

// runtimeErrorText asks the runtime for the message of its own error.
func runtimeErrorText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	var held any
	word := typeWord(s.typ)
	if pointed != 0 {
		word = typeWord(reflect.PointerTo(s.typ))
	}
	*(*eface)(unsafe.Pointer(&held)) = eface{word, p}
	failure, is := held.(error)
	if !is {
		r.put("<" + s.name + ">")
		return
	}
	text := failure.Error()
	const prefix = "runtime error: "
	if len(text) > len(prefix) && text[:len(prefix)] == prefix {
		text = text[len(prefix):]
	}
	r.put("runtime.Error(")
	r.string(text)
	r.put(")")
}

func builderText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	if r.object(s, pointed) {
		return
	}
	h := (*sliceHeader)(unsafe.Add(p, 8))
	r.note(h.data, uintptr(h.length))
	r.put("(")
	r.string(unsafeString(h.data, h.length))
	r.put(")")
}

func bufferText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	if r.object(s, pointed) {
		return
	}
	h := (*sliceHeader)(p)
	read := *(*int)(unsafe.Add(p, 24))
	r.note(h.data, uintptr(h.length))
	r.put("(")
	if h.length-read > r.maxBytes {
		r.isOver = true
		return
	}
	r.out = appendBytes(r.out, unsafeString(unsafe.Add(h.data, read), h.length-read))
	r.put(")")
}

func readerText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	if r.object(s, pointed) {
		return
	}
	r.put("(")
	r.string(stringAt(p))
	r.put(", read=")
	r.out = strconv.AppendInt(r.out, *(*int64)(unsafe.Add(p, 16)), 10)
	r.put(")")
}

// bigText writes the number: decimal up to 1,024 bits, as all numbers are.
func bigText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	if r.object(s, pointed) {
		return
	}
	h := (*sliceHeader)(unsafe.Add(p, 8))
	r.note(h.data, uintptr(h.length)*8)
	if h.length > r.maxBytes/8 {
		r.isOver = true
		return
	}
	words := append([]uint64(nil), unsafe.Slice((*uint64)(h.data), h.length)...)
	r.put("(")
	if *(*bool)(p) {
		r.put("-")
	}
	if h.length > 16 {
		r.put("0x")
		r.out = appendHexWords(r.out, words)
	} else {
		r.out = appendWords(r.out, words)
	}
	r.put(")")
}

func appendHexWords(out []byte, words []uint64) []byte {
	out = strconv.AppendUint(out, words[len(words)-1], 16)
	for i := len(words) - 2; i >= 0; i-- {
		for shift := 60; shift >= 0; shift -= 4 {
			out = append(out, lowerHex[words[i]>>shift&15])
		}
	}
	return out
}

// appendWords divides by ten again and again, half a word at a time.
func appendWords(out []byte, words []uint64) []byte {
	start := len(out)
	for len(words) > 0 {
		rest := uint64(0)
		for i := len(words) - 1; i >= 0; i-- {
			high := rest<<32 | words[i]>>32
			low := high%10<<32 | words[i]&0xffffffff
			words[i] = high/10<<32 | low/10
			rest = low % 10
		}
		out = append(out, byte('0'+rest))
		for len(words) > 0 && words[len(words)-1] == 0 {
			words = words[:len(words)-1]
		}
	}
	if len(out) == start {
		return append(out, '0')
	}
	for i, j := start, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// element is an Element of container/list; a List begins with one and has its length after it.
type element struct {
	next, prev *element
	list       unsafe.Pointer
	value      any
}

var anyShape *shape

func listText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, depth int) {
	if r.object(s, pointed) {
		return
	}
	root := (*element)(p)
	r.put("([")
	for at := root.next; at != nil && at != root && !r.isOver; at = at.next {
		if at != root.next {
			r.put(", ")
		}
		r.note(unsafe.Pointer(at), unsafe.Sizeof(*at))
		r.write(anyShape, unsafe.Pointer(&at.value), depth+1)
	}
	r.put("])")
}

func elementText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, depth int) {
	if r.object(s, pointed) {
		return
	}
	r.put("(Value=")
	r.write(anyShape, unsafe.Pointer(&(*element)(p).value), depth+1)
	r.put(")")
}

func boolText(r *renderer, s *shape, pointed uintptr, field string, value bool) {
	if r.object(s, pointed) {
		return
	}
	word := "False"
	if value {
		word = "True"
	}
	r.put("(" + field + "=" + word + ")")
}

func mutexText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	boolText(r, s, pointed, "locked", *(*int32)(p)&1 != 0)
}

func onceText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	boolText(r, s, pointed, "done", *(*uint32)(p) != 0)
}

// atomicText writes the number that the last field holds.
func atomicText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	if r.object(s, pointed) {
		return
	}
	last := s.typ.Field(s.typ.NumField() - 1)
	value := unsafe.Add(p, last.Offset)
	r.put("(")
	if s.typ.Name() == "Bool" {
		if *(*uint32)(value) != 0 {
			r.put("True")
		} else {
			r.put("False")
		}
	} else {
		r.write(shapeOf(last.Type), value, 0)
	}
	r.put(")")
}

func timeText(r *renderer, s *shape, p unsafe.Pointer, pointed uintptr, _ int) {
	if r.object(s, pointed) {
		return
	}
	r.put("(")
	r.string((*time.Time)(p).Format(time.RFC3339Nano))
	r.put(")")
}

func opaque(r *renderer, s *shape, _ unsafe.Pointer, _ uintptr, _ int) {
	r.put("<" + s.name + ">")
}

// opaqueWithState writes a digest of a struct of the library, so that a change of it is seen.
func opaqueWithState(r *renderer, s *shape, p unsafe.Pointer, _ uintptr, depth int) {
	const maxDigested = 32 << 10
	if r.isPlain {
		r.fields(s, p, depth)
		return
	}
	start, wasOver := len(r.out), r.isOver
	r.isPlain, r.plainLimit, r.plainSeen = true, start+maxDigested, r.plainSeen[:0]
	r.fields(s, p, 0)
	r.isPlain, r.isOver = false, wasOver
	digest := uint32(fingerprint(r.out[start:]))
	r.out = r.out[:start]
	r.put("<" + s.name + " state_")
	for shift := 28; shift >= 0; shift -= 4 {
		r.out = append(r.out, lowerHex[digest>>shift&15])
	}
	r.put(">")
}
