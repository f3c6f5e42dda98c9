package worldline

import (
	"bytes"
	"strconv"
	"unsafe"
)

// Slot is a variable of a function: where in the source it is visible, and the slot of the same name that it hides.
type Slot struct {
	Name  string
	Start int
	End   int
	Hides int // plus one; 0: none
	Outer int // of a captured variable: its slot in the code around, plus one

	id    int
	word  unsafe.Pointer
	shape *shape
}

// Code is what the recorder knows of a function before it is called.
type Code struct {
	Name    string
	File    string
	Line    int
	Results int // the first of the variables that Enter gets
	Slots   []Slot
	IsMain  bool
	IsInit  bool  // called while the program starts, before main
	Outer   *Code // of a closure: the function around it

	globals pointers // of the variables that a file initialises
	isKnown bool
	name    int
	file    int
}

// slotState is a variable of a frame at its last event.
type slotState struct {
	shape    *shape
	pointer  unsafe.Pointer
	isLive   bool
	isHidden bool
	isTold   bool
	isLate   bool
	bits     uint64
	more     uint64
	print    uint64
	identity uintptr
	other    int32 // the earlier slot that shares its object, plus one
	watched  watch
	large    *largeValue
}

type result struct {
	shape   *shape
	pointer unsafe.Pointer
}

// Frame is one activation of a function of the program.
type Frame struct {
	code      *Code
	serial    int
	depth     int
	parent    *Frame
	line      int
	slots     []slotState
	live      []int32
	late      []int32 // told when their scope ended: gone one event later
	results   []result
	panics    int // that were under way when it was called
	raised    eface
	hasRaised bool
	aliasing  bool
}

func (c *Code) learn() {
	c.isKnown = true
	c.name, c.file = wire.name(c.Name), wire.name(c.File)
	for i := range c.Slots {
		if c.Slots[i].Name != "" {
			c.Slots[i].id = wire.name(c.Slots[i].Name)
		}
	}
}

// bind gives a slot its variable, by a pointer to it.
func (f *Frame) bind(k int, variable any) {
	held := (*eface)(unsafe.Pointer(&variable))
	slot := &f.code.Slots[k]
	if slot.word != held.typ {
		slot.word, slot.shape = held.typ, shapeOfWord(pointedWord(held.typ))
	}
	state := &f.slots[k]
	isMoved := state.pointer != held.data
	state.shape, state.pointer = slot.shape, held.data
	if state.isLive {
		if isMoved { // a round of a loop has variables of its own
			state.watched.reset()
		}
		return
	}
	state.isLive = true
	if state.isLate { // declared again before it was said to be gone
		state.isLate = false
		f.late = without(f.late, int32(k))
	}
	f.live = append(f.live, int32(k))
	if slot.Hides > 0 {
		f.slots[slot.Hides-1].isHidden = true
	}
	f.aliasing = true
}

// pointedWord returns the type that a pointer type points to.
func pointedWord(pointer unsafe.Pointer) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(pointer, 48))
}

func without(list []int32, item int32) []int32 {
	for i, one := range list {
		if one == item {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

const noSlot = -1

// finish writes what has changed since the frame's last event, but not of two slots that have changed after it.
func (f *Frame) finish(skip, skipToo int) {
	f.forgetLate()
	for _, k := range f.live {
		state := &f.slots[k]
		if state.isHidden || int(k) == skip || int(k) == skipToo {
			continue
		}
		f.look(int(k), state)
	}
	if f.aliasing {
		f.alias()
	}
}

func (f *Frame) forgetLate() {
	for _, k := range f.late {
		f.forget(int(k))
	}
	f.late = f.late[:0]
}

// lookAhead writes the value that a variable of a loop has in a round: before the next one it changes again.
func (f *Frame) lookAhead(k int) {
	f.forgetLate()
	if k >= 0 && f.slots[k].isLive && !f.slots[k].isHidden {
		f.look(k, &f.slots[k])
	}
}

// forget writes that a name is gone, or that the variable it has hidden is visible again.
func (f *Frame) forget(k int) {
	state, slot := &f.slots[k], &f.code.Slots[k]
	state.isLate = false
	if hidden := slot.Hides; hidden > 0 && f.slots[hidden-1].isLive {
		f.slots[hidden-1].isHidden = false
		f.slots[hidden-1].isTold = false
	} else if state.isTold {
		wire.gone(f.serial, slot.id)
	}
	state.isTold, state.identity, state.other = false, 0, 0
	state.watched.reset()
	state.forgetLarge()
	f.aliasing = true
}

// leaveScopes ends the life of the slots that are not visible at a place of the source.
func (f *Frame) leaveScopes(place int) {
	kept := f.live[:0]
	for _, k := range f.live {
		slot := &f.code.Slots[k]
		if place >= slot.Start && place < slot.End {
			kept = append(kept, k)
			continue
		}
		state := &f.slots[k]
		state.isLive, state.isLate, state.pointer = false, true, nil
		f.late = append(f.late, k)
	}
	f.live = kept
}

// look writes the value of a variable if it has changed.
func (f *Frame) look(k int, state *slotState) {
	s, p := state.shape, state.pointer
	switch {
	case s.kind >= kindBool && s.kind <= kindFloat64:
		bits := wordBits(s.size, p)
		if state.isTold && state.bits == bits {
			return
		}
		state.bits = bits
		f.tell(k, state, render.atom(s, p))
	case s.kind == kindString:
		h := (*[2]uint64)(p)
		if state.isTold && state.bits == h[0] && state.more == h[1] {
			return
		}
		state.bits, state.more = h[0], h[1]
		f.compare(k, state, render.text(s, p, nil))
	default:
		f.lookDeep(k, state)
	}
}

//go:linkname setPanicOnFault runtime/debug.setPanicOnFault
func setPanicOnFault(isOn bool) bool

// lookDeep looks at a value that leads to other memory, which the program may have made unreadable.
func (f *Frame) lookDeep(k int, state *slotState) {
	was := setPanicOnFault(true)
	defer func() {
		setPanicOnFault(was)
		if recover() != nil {
			render.watched = nil
			state.watched.reset()
			f.compare(k, state, []byte("<unreadable>"))
		}
	}()
	if state.isTold && state.watched.holds() {
		return
	}
	s, p := state.shape, state.pointer
	state.watched.reset()
	text := render.text(s, p, &state.watched)
	if identity := s.identity(p); identity != state.identity {
		state.identity = identity
		f.aliasing = true
	}
	f.compare(k, state, text)
}

func wordBits(size uintptr, p unsafe.Pointer) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// compare writes a text if it is not what was written last: a large value has that text, others have its fingerprint.
func (f *Frame) compare(k int, state *slotState, text []byte) {
	if before := state.large; before != nil {
		if state.isTold && bytes.Equal(before.text, text) {
			return
		}
		f.tell(k, state, text)
		if state.large == nil {
			state.print = fingerprint(text)
		}
		return
	}
	print := fingerprint(text)
	if state.isTold && state.print == print {
		return
	}
	state.print = print
	f.tell(k, state, text)
}

func (r *renderer) atom(s *shape, p unsafe.Pointer) []byte {
	r.out = r.out[:0]
	if s.kind == kindInt64 {
		r.out = strconv.AppendInt(r.out, *(*int64)(p), 10)
		return r.out
	}
	r.write(s, p, 0)
	return r.out
}

// identity is that of the mutable object that a variable refers to; 0: none. Parts of one array have the same end.
func (s *shape) identity(p unsafe.Pointer) uintptr {
	switch s.kind {
	case kindSlice:
		h := (*sliceHeader)(p)
		if h.capacity == 0 {
			return 0
		}
		return uintptr(h.data) + uintptr(h.capacity)*s.elem.size + 1
	case kindMap, kindPointer, kindChan:
		return *(*uintptr)(p)
	case kindInterface:
		held := (*eface)(p)
		word := held.typ
		if word == nil {
			return 0
		}
		if s.methods {
			word = *(*unsafe.Pointer)(unsafe.Add(word, 8))
		}
		if isDirect(word) {
			return shapeOfWord(word).identity(unsafe.Pointer(&held.data))
		}
		return shapeOfWord(word).identity(held.data)
	}
	return 0
}

// alias writes which names share an object: each with the earliest of them.
func (f *Frame) alias() {
	f.aliasing = false
	for _, k := range f.live {
		state := &f.slots[k]
		if state.isHidden || !state.isTold {
			continue
		}
		other := int32(0)
		for _, j := range f.live {
			earlier := &f.slots[j]
			if state.identity == 0 || j >= k {
				continue
			}
			if earlier.isTold && !earlier.isHidden && earlier.identity == state.identity && (other == 0 || j+1 < other) {
				other = j + 1
			}
		}
		if other != state.other {
			state.other = other
			id := 0
			if other > 0 {
				id = f.code.Slots[other-1].id + 1
			}
			wire.same(f.serial, f.code.Slots[k].id, id)
		}
	}
}
