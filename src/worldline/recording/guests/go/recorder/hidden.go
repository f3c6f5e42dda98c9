package worldline

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// In controlled programs, functions of the library jump into these, which have the same parameters and results.

const (
	chunk       = 256  // bytes of a random device: shorter reads are always whole
	bufferBytes = 4095 // a buffered file asks for more bytes than the program does
)

// hookNow is time.now. Where package time sends the time of a timer, the scheduler calls it.
//
//go:nosplit
func hookNow() (sec int64, nsec int32, mono int64) {
	now := hookNano()
	return now / second, int32(now % second), now
}

// hookNano is runtime.nanotime, of which the compiled runtime has copies of its own.
//
//go:nosplit
func hookNano() int64 {
	switch {
	case !tape.isOn:
		return machineClock(1)
	case runtimeNotes[collectNote] != 0:
		return faketime
	case getg() != tape.owner:
		return tick()
	}
	return readClock()
}

// hookGettimeofday is syscall.Gettimeofday.
func hookGettimeofday(to *syscall.Timeval) error {
	hookTimeval(to)
	return nil
}

func timeval()

// hookTimeval is syscall.gettimeofday, which amd64 has.
func hookTimeval(to *syscall.Timeval) syscall.Errno {
	now := hookNano()
	*to = syscall.Timeval{Sec: now / second, Usec: now % second / 1000}
	return 0
}

// hookGetrusage is syscall.Getrusage.
func hookGetrusage(who int, to *syscall.Rusage) error {
	_, _, failure := syscall.RawSyscall(syscall.SYS_GETRUSAGE, uintptr(who), uintptr(unsafe.Pointer(to)), 0)
	if failure != 0 {
		return failure
	}
	if !tape.isLive {
		*to = syscall.Rusage{}
	}
	if isDrawn() {
		drawWords("usage", (*[unsafe.Sizeof(*to) / 8]int64)(unsafe.Pointer(to))[:])
	}
	return nil
}

// hookRandom is the Read of crypto/rand.Reader.
func hookRandom(_ unsafe.Pointer, data []byte) (int, error) {
	someBytes(data)
	if len(data) > 0 && isDrawn() {
		length := drawBytes("urandom "+strconv.Itoa(len(data)), data, len(data))
		someBytes(data[length:])
	}
	return len(data), nil
}

// hookFastrand is os.fastrand, for the names of temporary files.
func hookFastrand() uint32 {
	value := nextWord() >> 32
	if isDrawn() {
		value = uint64(drawInteger("bits 32", int64(value)))
	}
	return uint32(value)
}

// drawRead draws what was read of a file of the kernel, or of a random device: how many bytes.
func drawRead(fd int, data []byte, done int) int {
	var room [256]byte
	n, err := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(fd), room[:])
	if err != nil || n <= 0 {
		return done
	}
	path := string(room[:n])
	if path == "/dev/urandom" || path == "/dev/random" {
		if len(data) >= bufferBytes && done > chunk {
			done = chunk
		}
		if !tape.isLive {
			someBytes(data[:done])
		}
		return drawBytes("urandom "+strconv.Itoa(done), data, done)
	}
	if !strings.HasPrefix(path, "/proc/") {
		return done
	}
	if !tape.isLive {
		done = seededRead(fd, path, data, done)
	}
	return drawBytes("proc", data, done)
}

// seededRead puts what a file of the kernel holds under a seed in place of what it holds.
func seededRead(fd int, path string, data []byte, done int) int {
	at, err := syscall.Seek(fd, 0, 1)
	from := int(at) - done
	if err != nil || from < 0 {
		return done
	}
	if from == 0 {
		tape.kernelText = seededText(path)
	}
	if tape.kernelText == "" || from >= len(tape.kernelText) {
		return done
	}
	return copy(data, tape.kernelText[from:])
}

// seededText is what a file of the kernel holds in a run with a seed; empty: the kernel decides.
func seededText(path string) string {
	switch {
	case path == "/proc/loadavg":
		return "0.00 0.00 0.00 1/1 1\n"
	case path == "/proc/uptime":
		passed := faketime - int64(epoch)*second
		return strconv.FormatInt(passed/second, 10) + ".00 0.00\n"
	case strings.HasPrefix(path, "/proc/sys/kernel/random/") && strings.HasSuffix(path, "id"):
		return seededUUID()
	}
	return ""
}

func seededUUID() string {
	var bytes [16]byte
	someBytes(bytes[:])
	out := []byte{}
	for i, b := range bytes {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			out = append(out, '-')
		}
		out = append(out, lowerHex[b>>4], lowerHex[b&15])
	}
	return string(append(out, '\n'))
}
