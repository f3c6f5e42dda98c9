package worldline

import (
	"reflect"
	"strings"
	"unsafe"
)

type kind uint8

const (
	kindOpaque kind = iota
	kindBool
	kindInt8
	kindInt16
	kindInt32
	kindInt64
	kindUint8
	kindUint16
	kindUint32
	kindUint64
	kindFloat32
	kindFloat64
	kindComplex64
	kindComplex128
	kindString
	kindSlice
	kindArray
	kindMap
	kindPointer
	kindStruct
	kindInterface
	kindFunc
	kindChan
	kindSpecial
)

// shape is what the recorder knows of a type: how its memory is read.
type shape struct {
	typ     reflect.Type
	kind    kind
	size    uintptr
	name    string // canonical; of an opaque type its whole text
	fields  []field
	elem    *shape
	key     *shape
	length  int
	mapped  mapLayout
	isFlat  bool // its own bytes decide its text
	isBytes bool
	methods bool // of an interface: it has some
	special special
}

type field struct {
	name   string
	offset uintptr
	shape  *shape
}

// eface and iface are the memory of interfaces.
type eface struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

var shapes = map[unsafe.Pointer]*shape{}

func typeWord(typ reflect.Type) unsafe.Pointer {
	return (*eface)(unsafe.Pointer(&typ)).data
}

// shapeOfWord returns the shape of a type by the first word of an interface that holds it.
func shapeOfWord(word unsafe.Pointer) *shape {
	if known := shapes[word]; known != nil {
		return known
	}
	var holder any
	(*eface)(unsafe.Pointer(&holder)).typ = word
	return shapeOf(reflect.TypeOf(holder))
}

var plainKinds = map[reflect.Kind]kind{
	reflect.Bool: kindBool, reflect.Int: kindInt64, reflect.Int8: kindInt8, reflect.Int16: kindInt16,
	reflect.Int32: kindInt32, reflect.Int64: kindInt64, reflect.Uint: kindUint64, reflect.Uint8: kindUint8,
	reflect.Uint16: kindUint16, reflect.Uint32: kindUint32, reflect.Uint64: kindUint64, reflect.Uintptr: kindUint64,
	reflect.Float32: kindFloat32, reflect.Float64: kindFloat64, reflect.Complex64: kindComplex64,
	reflect.Complex128: kindComplex128,
}

func shapeOf(typ reflect.Type) *shape {
	word := typeWord(typ)
	if known := shapes[word]; known != nil {
		return known
	}
	s := &shape{typ: typ, size: typ.Size(), name: canonicalName(plainName(typ))}
	shapes[word] = s
	if plain, is := plainKinds[typ.Kind()]; is {
		s.kind, s.isFlat = plain, true
		return s
	}
	if s.special = specialOf(typ); s.special != nil {
		s.kind = kindSpecial
		return s
	}
	s.fill(typ)
	return s
}

func (s *shape) fill(typ reflect.Type) {
	switch typ.Kind() {
	case reflect.String:
		s.kind = kindString
	case reflect.Slice:
		s.kind, s.elem = kindSlice, shapeOf(typ.Elem())
		s.isBytes = s.elem.kind == kindUint8
	case reflect.Array:
		s.kind, s.elem, s.length = kindArray, shapeOf(typ.Elem()), typ.Len()
		s.isFlat = s.elem.isFlat
	case reflect.Map:
		s.kind, s.key, s.elem = kindMap, shapeOf(typ.Key()), shapeOf(typ.Elem())
		s.mapped = mapLayoutOf(typ)
	case reflect.Pointer:
		s.kind, s.elem = kindPointer, shapeOf(typ.Elem())
		s.name = "Ptr"
	case reflect.Interface:
		s.kind, s.methods = kindInterface, typ.NumMethod() > 0
	case reflect.Func:
		s.kind = kindFunc
	case reflect.Chan:
		s.kind, s.elem = kindChan, shapeOf(typ.Elem())
	case reflect.Struct:
		s.fillStruct(typ)
	default:
		s.name = "<" + s.name + ">"
	}
}

func (s *shape) fillStruct(typ reflect.Type) {
	if isForeign(typ) && !isOpen(typ) {
		s.kind, s.special = kindSpecial, opaqueWithState
	} else {
		s.kind = kindStruct
	}
	s.isFlat = s.kind == kindStruct
	for i := 0; i < typ.NumField(); i++ {
		f := typ.Field(i)
		if f.Name == "_" {
			continue
		}
		inner := shapeOf(f.Type)
		s.isFlat = s.isFlat && inner.isFlat
		s.fields = append(s.fields, field{canonicalName(f.Name), f.Offset, inner})
	}
}

// isForeign says whether a type is not the program's own.
func isForeign(typ reflect.Type) bool {
	path := typ.PkgPath()
	return path != "" && path != "main"
}

// isOpen says whether all fields of a struct are exported: then they are its value.
func isOpen(typ reflect.Type) bool {
	for i := 0; i < typ.NumField(); i++ {
		if !typ.Field(i).IsExported() {
			return false
		}
	}
	return true
}

// plainName is the name of a type without type arguments.
func plainName(typ reflect.Type) string {
	name := typ.Name()
	if name == "" {
		return typ.Kind().String()
	}
	if at := strings.IndexByte(name, '['); at > 0 {
		name = name[:at]
	}
	if at := strings.IndexRune(name, '·'); at > 0 {
		name = name[:at]
	}
	return name
}

// isDirect says whether an interface holds the value of a type itself, not a pointer to it.
func isDirect(word unsafe.Pointer) bool {
	const directBit = 1 << 5
	return *(*uint8)(unsafe.Add(word, directByte))&directBit != 0
}
