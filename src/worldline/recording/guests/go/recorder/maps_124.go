//go:build go1.24

package worldline

import (
	"reflect"
	"unsafe"
)

// mapHeader is a map of the runtime: groups of eight slots, in one group or in tables that a directory lists.
type mapHeader struct {
	count       int
	seed        uintptr
	directory   unsafe.Pointer // of a map without tables: its group
	length      int            // of the directory; 0: there are no tables
	globalDepth uint8
	globalShift uint8
	writing     uint8
}

// mapTable is a table of the runtime. The directory has it 1 << (globalDepth - localDepth) times in a row.
type mapTable struct {
	used       uint16
	capacity   uint16
	growthLeft uint16
	localDepth uint8
	index      int
	groups     unsafe.Pointer
	lengthMask uint64
}

const (
	groupSlots  = 8
	isEmptySlot = 0x80 // in the control byte of a slot: it is empty or deleted
	wordSize    = 8
)

// mapLayout says where a group has its keys and values, after the control bytes of its slots.
type mapLayout struct {
	groupSize   uintptr
	keys        uintptr
	keyStride   uintptr
	values      uintptr
	valueStride uintptr
	keyIsAway   bool // the slot has a pointer to it
	valueIsAway bool
}

func mapLayoutOf(typ reflect.Type) mapLayout {
	const away, sizes = 128, 48 + 4*wordSize
	layout := slotsOf((*mapSizes)(unsafe.Add(typeWord(typ), sizes)))
	layout.keyIsAway, layout.valueIsAway = typ.Key().Size() > away, typ.Elem().Size() > away
	return layout
}

// isWritten says whether a goroutine is in the middle of changing the map.
func (h *mapHeader) isWritten() bool { return h.writing != 0 }

func (r *renderer) entries(s *shape, h *mapHeader) []mapEntry {
	entries := make([]mapEntry, 0, h.count)
	if h.directory == nil {
		return entries
	}
	if h.length == 0 {
		return r.groupEntries(s, entries, h.directory, 1)
	}
	r.note(h.directory, uintptr(h.length)*wordSize)
	for i := 0; i < h.length; {
		table := *(**mapTable)(unsafe.Add(h.directory, uintptr(i)*wordSize))
		r.note(unsafe.Pointer(table), unsafe.Sizeof(*table))
		entries = r.groupEntries(s, entries, table.groups, uintptr(table.lengthMask)+1)
		i += 1 << (h.globalDepth - table.localDepth)
	}
	return entries
}

func (r *renderer) groupEntries(s *shape, into []mapEntry, groups unsafe.Pointer, count uintptr) []mapEntry {
	layout := &s.mapped
	r.note(groups, count*layout.groupSize)
	for i := uintptr(0); i < count; i++ {
		group := unsafe.Add(groups, i*layout.groupSize)
		for k := uintptr(0); k < groupSlots; k++ {
			if *(*uint8)(unsafe.Add(group, k))&isEmptySlot != 0 {
				continue
			}
			key := unsafe.Add(group, layout.keys+k*layout.keyStride)
			value := unsafe.Add(group, layout.values+k*layout.valueStride)
			if layout.keyIsAway {
				key = *(*unsafe.Pointer)(key)
			}
			if layout.valueIsAway {
				value = *(*unsafe.Pointer)(value)
				r.note(value, s.elem.size)
			}
			into = append(into, mapEntry{key: key, value: value})
		}
	}
	return into
}
