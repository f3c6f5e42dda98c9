// Package worldline records a Go program while it executes: the pass inserts calls of it into the source.
package worldline

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// The tags of the wire (docs/reference/format.md, section 3).
const (
	tagText   = 0x01
	tagCall   = 0x02
	tagSwitch = 0x04
	tagLine   = 0x05
	tagReturn = 0x06
	tagRaise  = 0x08
	tagOutput = 0x09
	tagInput  = 0x0a
	tagExit   = 0x0b
	tagDelta  = 0x10
	tagGone   = 0x11
	tagSame   = 0x12
	tagSplice = 0x13
	tagNote   = 0x20
	tagHidden = 0x21
	tagMeta   = 0x22
	tagDraw   = 0x23
	tagEnd    = 0x3f
)

const (
	headerBytes  = 64
	reserveBytes = 4096
	recordWeight = 8
	textWeight   = 32
)

// wireWriter writes whole records into the shared memory of the host, up to a budget.
type wireWriter struct {
	memory   []byte
	at       int
	left     int
	steps    int
	maxSteps int
	current  int
	isBegun  bool // the newest step is a call or a line
	ended    bool
	names    map[string]int
	large    int // how many values may be the base of a splice
}

var wire = wireWriter{current: -1, names: map[string]int{}}

// open maps the file of a descriptor and closes the descriptor.
func (w *wireWriter) open(fd, maxSteps int) error {
	var about syscall.Stat_t
	if err := syscall.Fstat(fd, &about); err != nil {
		return err
	}
	memory, err := syscall.Mmap(fd, 0, int(about.Size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	w.memory, w.maxSteps = memory, maxSteps
	for i := range memory[:headerBytes] {
		memory[i] = 0
	}
	copy(memory, "WLW1")
	w.at, w.left = headerBytes, len(memory)-headerBytes-2*reserveBytes
	w.publish()
	return syscall.Close(fd)
}

// publish advances the number of committed bytes: the host reads no further.
func (w *wireWriter) publish() {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&w.memory[8])), uint64(w.at))
}

// begin checks that a record with texts of so many bytes fits, and writes its tag.
func (w *wireWriter) begin(tag byte, room int) int {
	if room+64 > w.left {
		w.stop("limit", "bytes")
	}
	w.memory[w.at] = tag
	return w.at + 1
}

func (w *wireWriter) commit(end, texts int) {
	weight := end - w.at + recordWeight + texts*textWeight
	if weight > w.left {
		w.stop("limit", "bytes")
	}
	w.left -= weight
	w.at = end
	w.publish()
}

func (w *wireWriter) number(p, value int) int {
	for value >= 128 {
		w.memory[p] = byte(value&127 | 128)
		value >>= 7
		p++
	}
	w.memory[p] = byte(value)
	return p + 1
}

func (w *wireWriter) text(p int, data []byte) int {
	p = w.number(p, len(data))
	return p + copy(w.memory[p:], data)
}

// count admits one more step, and none beyond the limit.
func (w *wireWriter) count() {
	w.steps++
	if w.steps > w.maxSteps {
		w.stop("limit", "steps")
	}
}

// name returns the id of a name or file, and writes the text the first time.
func (w *wireWriter) name(name string) int {
	id, known := w.names[name]
	if known {
		return id
	}
	p := w.begin(tagText, len(name))
	w.commit(w.text(p, []byte(name)), 1)
	id = len(w.names)
	w.names[name] = id
	return id
}

func (w *wireWriter) call(frame, parent, name, file, line int) {
	w.count()
	p := w.begin(tagCall, 0)
	for _, field := range [...]int{frame, parent, name, file, line} {
		p = w.number(p, field)
	}
	w.commit(p, 0)
	w.current, w.isBegun = frame, true
}

// switchTo makes a frame the one that the next records are about.
func (w *wireWriter) switchTo(frame int) {
	if w.current != frame {
		w.commit(w.number(w.begin(tagSwitch, 0), frame), 0)
		w.current = frame
	}
}

func (w *wireWriter) line(frame, line int) {
	w.count()
	w.switchTo(frame)
	w.commit(w.number(w.begin(tagLine, 0), line), 0)
	w.isBegun = true
}

// step writes a step with an argument.
func (w *wireWriter) step(frame int, tag byte, line int, arg []byte) {
	w.count()
	w.switchTo(frame)
	p := w.begin(tag, len(arg))
	w.commit(w.text(w.number(p, line), arg), 1)
	w.isBegun = false
}

func (w *wireWriter) delta(frame, name int, value []byte) {
	w.switchTo(frame)
	p := w.begin(tagDelta, len(value))
	w.commit(w.text(w.number(p, name), value), 1)
}

// splice writes a value as a change of an earlier large one: characters that stay at both ends, and what is between.
func (w *wireWriter) splice(frame, name, back, prefix, suffix int, middle []byte) {
	w.switchTo(frame)
	p := w.begin(tagSplice, len(middle))
	for _, field := range [...]int{name, back, prefix, suffix} {
		p = w.number(p, field)
	}
	w.commit(w.text(p, middle), 1)
}

func (w *wireWriter) gone(frame, name int) {
	w.switchTo(frame)
	w.commit(w.number(w.begin(tagGone, 0), name), 0)
}

// same says which other name shares the object of a name: its id plus one, or 0 for no other any more.
func (w *wireWriter) same(frame, name, other int) {
	w.switchTo(frame)
	w.commit(w.number(w.number(w.begin(tagSame, 0), name), other), 0)
}

func (w *wireWriter) texts(tag byte, texts ...string) {
	room := 0
	for _, text := range texts {
		room += len(text) + 8
	}
	p := w.begin(tag, room)
	for _, text := range texts {
		p = w.text(p, []byte(text))
	}
	w.commit(p, len(texts))
}

// end writes the explicit end record, once; nothing follows it.
func (w *wireWriter) end(kind string, detail []byte) {
	if w.ended {
		return
	}
	w.ended = true
	w.left += reserveBytes + recordWeight + 2*textWeight
	detail = wholeCharacters(detail, reserveBytes-len(kind)-32)
	w.memory[w.at] = tagEnd
	w.commit(w.text(w.text(w.at+1, []byte(kind)), detail), 2)
}

// wholeCharacters returns the beginning of a text that has at most so many bytes.
func wholeCharacters(text []byte, most int) []byte {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most]
}

// stop ends the program: a budget is spent. What is written stays.
func (w *wireWriter) stop(kind, detail string) {
	w.end(kind, []byte(detail))
	leaveProcess(0)
}

func leaveProcess(code int) {
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(code), 0, 0)
	}
}
