package worldline

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// faketime is the clock of the edited runtime where it is not 0: timers and sleeps follow it. It jumps to the next
// timer where no goroutine can continue.
//
//go:linkname faketime runtime.faketime
var faketime int64

// runtimeNotes are bytes of the runtime that the edits use; nothing else does.
//
//go:linkname runtimeNotes runtime.aeskeysched
var runtimeNotes [128]byte

// startNano is where package time begins to count.
//
//go:linkname startNano time.startNano
var startNano int64

const (
	turnSteps   = 10_000
	second      = 1_000_000_000
	epoch       = 1_767_225_600 // 2026-01-01, where the virtual clock starts: up to a day later, by the seed
	day         = 86_400
	reading     = 1000 // nanoseconds of a reading, and readings in a row until they take longer
	patience    = 10
	offsetNote  = 16 // live: what the machine's steady clock lacks to the virtual one
	collectNote = 24 // the collector reads the clock
)

// tape decides the hidden inputs of a controlled run and records them: given ones, then those of a seed or the
// machine's.
var tape struct {
	isOn, isLive bool
	hasRead      bool           // the clock
	owner        unsafe.Pointer // the goroutine that is recorded
	given        string         // a line each: the kind and the plain value
	state        uint64         // of the numbers of the seed
	others       uint64         // of those that other goroutines get
	last         int64          // the clock after its newest reading
	row          int64          // readings without a wait between them
	kernelText   string         // of the file that was last read from its beginning
	turn         int            // steps before the newest turn of the other goroutines
}

// openTape reads a control from a descriptor: the seed, or `-`, and a line for each given input.
func openTape(fd int) {
	var text []byte
	piece := make([]byte, 1<<16)
	for {
		n, err := syscall.Read(fd, piece)
		if n <= 0 || err != nil {
			break
		}
		text = append(text, piece[:n]...)
	}
	syscall.Close(fd)
	seed, given, _ := strings.Cut(string(text), "\n")
	tape.isOn, tape.isLive, tape.given, tape.owner = true, seed == "-", given, getg()
	tape.state, _ = strconv.ParseUint(seed, 10, 64)
	tape.others = tape.state ^ 0x5851f42d4c957f2d
	start := int64(epoch+tape.state%day) * second
	if _, rest, isGiven := strings.Cut("\n"+given, "\nclock\t"); isGiven {
		plain, _, _ := strings.Cut(rest, "\n")
		start, _ = strconv.ParseInt(plain, 10, 64)
		start -= reading
	}
	if tape.isLive {
		start = machineClock(0)
		*(*int64)(unsafe.Pointer(&runtimeNotes[offsetNote])) = start - machineClock(1)
	}
	setClock(start)
	startNano = start
}

// take returns the plain value of the next given input if it has this kind; if not, none is given any more.
func take(kind string) (plain string, isGiven bool) {
	line, rest, isThere := strings.Cut(tape.given, "\n")
	was, plain, _ := strings.Cut(line, "\t")
	if !isThere || was != kind {
		tape.given = ""
		return "", false
	}
	tape.given = rest
	return plain, true
}

// giveTurn lets other goroutines continue after many steps: the clock that would say so stands still.
func giveTurn() {
	if tape.isOn && wire.steps-tape.turn >= turnSteps {
		tape.turn = wire.steps
		runtime.Gosched()
	}
}

// isDrawn says whether the hidden inputs of the calling goroutine are recorded.
func isDrawn() bool {
	return tape.isOn && getg() == tape.owner && !wire.ended
}

func recordDraw(kind string, text []byte) {
	hold()
	if recorder.isOn {
		raiseNew()
	}
	if len(streams.input) > 0 {
		streams.flush()
	}
	tag := byte(tagHidden)
	if wire.isBegun && recorder.top != nil && wire.current == recorder.top.serial {
		tag = tagDraw
	}
	wire.texts(tag, kind, string(text))
	release()
}

func drawInteger(kind string, fresh int64) int64 {
	if plain, isGiven := take(kind); isGiven {
		fresh, _ = strconv.ParseInt(plain, 10, 64)
	}
	recordDraw(kind, strconv.AppendInt(nil, fresh, 10))
	return fresh
}

// drawBytes draws bytes in place, and returns how many: never more than there is room for.
func drawBytes(kind string, room []byte, length int) int {
	if plain, isGiven := take(kind); isGiven {
		for length = 0; length < len(room) && 2*length+1 < len(plain); length++ {
			value, _ := strconv.ParseUint(plain[2*length:2*length+2], 16, 8)
			room[length] = byte(value)
		}
	}
	text := appendBytes(nil, string(room[:length]))
	if len(text) > render.maxBytes {
		text = append([]byte(nil), cutText("bytes", length)...)
	}
	recordDraw(kind, text)
	return length
}

// drawWords draws a tuple of numbers in place.
func drawWords(kind string, words []int64) {
	plain, isGiven := take(kind)
	parts := strings.Split(plain, " ")
	text := []byte{'('}
	for i := range words {
		if isGiven && i < len(parts) {
			words[i], _ = strconv.ParseInt(parts[i], 10, 64)
		}
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendInt(text, words[i], 10)
	}
	recordDraw(kind, append(text, ')'))
}

// nextWord is the next number of the seed, by splitmix64, or the system's when live. It is not recorded.
func nextWord() (z uint64) {
	if tape.isLive {
		syscall.RawSyscall(getrandomNumber(), uintptr(unsafe.Pointer(&z)), unsafe.Sizeof(z), 0)
		return z
	}
	state := &tape.state
	if getg() != tape.owner {
		state = &tape.others
	}
	*state += 0x9e3779b97f4a7c15
	z = *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func getrandomNumber() uintptr {
	if runtime.GOARCH == "arm64" {
		return 278
	}
	return 318
}

func someBytes(data []byte) {
	word := uint64(0)
	for i := range data {
		if i%8 == 0 {
			word = nextWord()
		}
		data[i] = byte(word)
		word >>= 8
	}
}

// machineClock reads a clock of the machine in nanoseconds: 0 is the time of day, 1 the steady one.
func machineClock(which uintptr) int64 {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, which, uintptr(unsafe.Pointer(&now)), 0)
	return now.Sec*second + now.Nsec
}

func setClock(to int64) {
	if to < 1 { // 0 would be the machine's clock
		to = 1
	}
	faketime = to
}

// tick advances the virtual clock by a reading. The scheduler calls it too, on a small stack.
//
//go:nosplit
func tick() int64 {
	if faketime != tape.last {
		tape.row = -1
	}
	tape.row++
	faketime += reading * (1 + tape.row/patience)
	tape.last = faketime
	return faketime
}

// readClock is a reading of the recorded goroutine.
func readClock() int64 {
	if !isDrawn() {
		return tick()
	}
	fresh := tick()
	if tape.isLive {
		real := machineClock(1) + *(*int64)(unsafe.Pointer(&runtimeNotes[offsetNote]))
		if real > fresh {
			fresh = real
		}
	}
	value := drawInteger("clock", fresh)
	if value != faketime {
		setClock(value)
		tape.last = faketime
	}
	if !tape.hasRead {
		tape.hasRead = true
		startNano = value - reading
	}
	return value
}
