package worldline

import (
	"unsafe"
)

// Yes and No are words that no program gives another meaning.
const (
	Yes = true
	No  = false
)

func getg() unsafe.Pointer

//go:linkname pin runtime.procPin
func pin() int

//go:linkname unpin runtime.procUnpin
func unpin()

// hold keeps other goroutines from the values that are read until release. A goroutine that holds cannot recover from
// memory that is unreadable, so a program that can make its memory so is not held.
func hold() {
	if !recorder.mayFault {
		pin()
	}
}

func release() {
	if !recorder.mayFault {
		unpin()
	}
}

// MayFault says that the program imports a package with which it can make memory unreadable.
func MayFault() {
	recorder.mayFault = true
}

const panicOffset = 32 // in the record of a goroutine

var recorder struct {
	isOn     bool
	isCall   bool // a call is recorded, whose value is the detail of the outcome
	mayFault bool
	isShared bool // other goroutines execute code of the program
	isNoted  bool
	main     unsafe.Pointer // the goroutine that is recorded
	top      *Frame
	frames   int
	free     []*Frame
	returned []byte
}

func newestPanic(g unsafe.Pointer) *panicRecord {
	return *(**panicRecord)(unsafe.Add(g, panicOffset))
}

func countPanics(newest *panicRecord) int {
	count := 0
	for ; newest != nil; newest = newest.link {
		count++
	}
	return count
}

// Enter begins a frame: the pointers are to the results, and then to the variables that it has from the start.
// It returns nil where nothing is recorded; all methods of Frame accept that.
func Enter(code *Code, variables ...any) *Frame {
	g := getg()
	if !recorder.isOn {
		if !code.IsMain && !code.IsInit || recorder.main != nil {
			return nil
		}
		Begin()
	}
	if g != recorder.main {
		recorder.isShared = true
		return nil
	}
	hold()
	noteThreads()
	streams.flush()
	raiseNew()
	f := newFrame(code)
	f.panics = countPanics(newestPanic(g))
	for _, variable := range variables[:code.Results] {
		held := (*eface)(unsafe.Pointer(&variable))
		f.results = append(f.results, result{shapeOfWord(pointedWord(held.typ)), held.data})
	}
	for k, variable := range variables[code.Results:] {
		if code.Slots[k].Name != "" {
			f.bind(k, variable)
		}
	}
	release()
	return f
}

func newFrame(code *Code) *Frame {
	if !code.isKnown {
		code.learn()
	}
	var f *Frame
	if n := len(recorder.free); n > 0 {
		f = recorder.free[n-1]
		recorder.free = recorder.free[:n-1]
	} else {
		f = new(Frame)
	}
	f.reset(code)
	parent := 0
	if f.parent != nil {
		parent = f.parent.serial + 1
	}
	wire.call(f.serial, parent, code.name, code.file, code.Line)
	recorder.top = f
	return f
}

func (f *Frame) reset(code *Code) {
	f.code, f.serial, f.parent, f.line = code, recorder.frames, recorder.top, code.Line
	recorder.frames++
	f.live, f.late, f.results = f.live[:0], f.late[:0], f.results[:0]
	f.hasRaised, f.aliasing = false, false
	if cap(f.slots) < len(code.Slots) {
		f.slots = make([]slotState, len(code.Slots))
		return
	}
	f.slots = f.slots[:len(code.Slots)]
	for i := range f.slots {
		watched := f.slots[i].watched
		watched.reset()
		f.slots[i] = slotState{watched: watched}
	}
}

// letGo drops all references to values of the program.
func (f *Frame) letGo() {
	for i := range f.slots {
		f.slots[i].pointer = nil
		f.slots[i].forgetLarge()
	}
	for i := range f.results {
		f.results[i].pointer = nil
	}
	f.raised, f.parent = eface{}, nil
}

func isUnderWay(newest *panicRecord) bool {
	return newest != nil && !newest.recovered && !newest.goexit
}

func noteThreads() {
	if recorder.isShared && !recorder.isNoted {
		recorder.isNoted = true
		wire.texts(tagNote, "threads")
	}
}

// Share says that the program starts a goroutine.
func (f *Frame) Share() {
	recorder.isShared = true
}

// Line is called before a line executes; `place` is where in the file.
func (f *Frame) Line(line, place int) {
	if f == nil || !recorder.isOn {
		return
	}
	hold()
	f.event(line, place, noSlot, noSlot)
	release()
	giveTurn()
}

// Case is Line as a part of a condition: it is always false.
func (f *Frame) Case(line, place int) bool {
	f.Line(line, place)
	return false
}

// Round is called at the beginning of each round of a range loop, whose variables already have their next values.
func (f *Frame) Round(line, place, first int, isFirst bool, variables ...any) bool {
	if f == nil || !recorder.isOn {
		return false
	}
	hold()
	if !isFirst && len(variables) > 0 {
		f.event(line, place, first, first+len(variables)-1)
	} else if !isFirst {
		f.event(line, place, noSlot, noSlot)
	}
	for i, variable := range variables {
		f.bind(first+i, variable)
		f.lookAhead(first + i)
	}
	release()
	giveTurn()
	return false
}

// Again is Round for a loop whose variables are those of slots that it does not declare; -1: none.
func (f *Frame) Again(line, place, key, value int, isFirst bool) bool {
	if f == nil || !recorder.isOn {
		return false
	}
	hold()
	if !isFirst {
		f.event(line, place, key, value)
	}
	f.lookAhead(key)
	f.lookAhead(value)
	release()
	giveTurn()
	return false
}

func (f *Frame) event(line, place, skip, skipToo int) {
	noteThreads()
	streams.flush()
	f.finish(skip, skipToo)
	f.leaveScopes(place)
	f.line = line
	wire.line(f.serial, line)
}

// Var tells of variables that were just declared, by pointers to them.
func (f *Frame) Var(first int, variables ...any) {
	if f == nil || !recorder.isOn {
		return
	}
	hold()
	for i, variable := range variables {
		if f.code.Slots[first+i].Name != "" {
			f.bind(first+i, variable)
		}
	}
	release()
}

// Leave ends a frame, deferred before all that the function itself defers.
func (f *Frame) Leave() {
	if f == nil || !recorder.isOn {
		return
	}
	hold()
	streams.flush()
	f.finish(noSlot, noSlot)
	newest := newestPanic(recorder.main)
	if newest == nil || countPanics(newest) <= f.panics || newest.recovered {
		f.returnValue()
	} else if !newest.goexit {
		f.raise(newest)
	}
	recorder.top = f.parent
	if f.parent == nil && (!f.code.IsInit || isUnderWay(newest)) {
		f.endProgram(newest)
	}
	f.letGo()
	recorder.free = append(recorder.free, f)
	release()
}

func (f *Frame) returnValue() {
	text := f.valueText()
	wire.step(f.serial, tagReturn, f.line, text)
	if f.parent == nil && recorder.isCall {
		recorder.returned = append([]byte(nil), text...)
	}
}

// valueText is the value that a frame returns: several are a tuple.
func (f *Frame) valueText() []byte {
	switch len(f.results) {
	case 0:
		return append(render.out[:0], "None"...)
	case 1:
		return render.readable(f.results[0].shape, f.results[0].pointer)
	}
	return render.tuple(f.results)
}

// readable is the text of a value, whatever the program did to its memory.
func (r *renderer) readable(s *shape, p unsafe.Pointer) (text []byte) {
	was := setPanicOnFault(true)
	defer func() {
		setPanicOnFault(was)
		if recover() != nil {
			r.watched = nil
			text = append(r.out[:0], "<unreadable>"...)
		}
	}()
	return r.text(s, p, nil)
}

func (r *renderer) tuple(results []result) []byte {
	out := []byte{'('}
	for i, one := range results {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, r.readable(one.shape, one.pointer)...)
	}
	if len(out) > r.maxBytes {
		return cutText("tuple", len(results))
	}
	return append(out, ')')
}

// raiseNew writes a panic that has begun in the newest frame, before what is deferred there executes.
func raiseNew() {
	newest, top := newestPanic(recorder.main), recorder.top
	if newest != nil && top != nil && isUnderWay(newest) && countPanics(newest) > top.panics {
		top.raise(newest)
	}
}

// raise writes that a panic is under way in a frame, once.
func (f *Frame) raise(newest *panicRecord) {
	if f.hasRaised && f.raised == newest.arg {
		return
	}
	streams.flush()
	f.finish(noSlot, noSlot)
	f.raised, f.hasRaised = newest.arg, true
	wire.step(f.serial, tagRaise, f.line, render.readable(anyShape, unsafe.Pointer(&newest.arg)))
}

func (f *Frame) endProgram(newest *panicRecord) {
	recorder.isOn = false
	if isUnderWay(newest) {
		wire.end("raised", render.readable(anyShape, unsafe.Pointer(&newest.arg)))
		return
	}
	if newest != nil && newest.goexit {
		return // the program has not ended: other goroutines execute it
	}
	wire.end("returned", recorder.returned)
}
