package worldline

import (
	"strconv"
	"syscall"
	"unsafe"
)

// streams holds what the program wrote and read since its last event.
var streams pending

type pending struct {
	output []byte
	input  []byte
}

// The functions of the library that the linked program jumps into from those of the same purpose (pass/patch.go).
var hooks = [...]any{
	hookWrite, hookRead, hookExit, hookNow, hookNano, hookRandom, hookFastrand, hookGettimeofday, timeval,
	hookGetrusage,
}

func isRecorded() bool {
	return recorder.isOn && recorder.top != nil && getg() == recorder.main
}

func address(data []byte) unsafe.Pointer {
	if len(data) == 0 {
		return unsafe.Pointer(&wire)
	}
	return unsafe.Pointer(&data[0])
}

// transfer reads or writes. In a controlled run no other goroutine continues while the standard streams do.
func transfer(number uintptr, fd int, data []byte) (uintptr, syscall.Errno) {
	if tape.isOn && fd <= 2 {
		done, _, failure := syscall.RawSyscall(number, uintptr(fd), uintptr(address(data)), uintptr(len(data)))
		return done, failure
	}
	done, _, failure := syscall.Syscall(number, uintptr(fd), uintptr(address(data)), uintptr(len(data)))
	return done, failure
}

// hookWrite is syscall.write.
func hookWrite(fd int, data []byte) (int, error) {
	done, failure := transfer(syscall.SYS_WRITE, fd, data)
	if failure != 0 {
		return int(done), failure
	}
	if fd == 1 && isRecorded() {
		hold()
		raiseNew()
		if len(streams.input) > 0 {
			streams.flush()
		}
		streams.output = append(streams.output, data[:done]...)
		release()
	}
	return int(done), nil
}

// hookRead is syscall.read.
func hookRead(fd int, data []byte) (int, error) {
	done, failure := transfer(syscall.SYS_READ, fd, data)
	if failure != 0 {
		return int(done), failure
	}
	if fd == 0 && done > 0 && isRecorded() {
		hold()
		raiseNew()
		if len(streams.output) > 0 {
			streams.flush()
		}
		streams.input = append(streams.input, data[:done]...)
		release()
	}
	if fd > 2 && done > 0 && isDrawn() {
		return drawRead(fd, data, int(done)), nil
	}
	return int(done), nil
}

// flush makes steps of what was written and read.
func (s *pending) flush() {
	f := recorder.top
	if f == nil {
		s.output, s.input = s.output[:0], s.input[:0]
		return
	}
	if len(s.output) > 0 {
		wire.step(f.serial, tagOutput, f.line, streamText(s.output))
		s.output = s.output[:0]
	}
	if len(s.input) > 0 {
		text := streamText(s.input)
		wire.texts(tagHidden, "input", string(text))
		wire.step(f.serial, tagInput, f.line, text)
		s.input = s.input[:0]
	}
}

// streamText is a str; where it is too long, only its length is known.
func streamText(data []byte) []byte {
	if len(data) > render.maxBytes {
		return cutText("str", len([]rune(string(data))))
	}
	render.out = appendStr(render.out[:0], string(data))
	return render.out
}

// cutText stands for a value that is too long.
func cutText(kind string, length int) []byte {
	render.out = append(append(render.out[:0], "...<"...), kind...)
	render.out = strconv.AppendInt(append(render.out, ' '), int64(length), 10)
	render.out = append(render.out, '>')
	return render.out
}

// hookExit is syscall.Exit: where os.Exit ends.
func hookExit(code int) {
	if recorder.isOn && !wire.ended {
		hold()
		if getg() == recorder.main && recorder.top != nil {
			streams.flush()
			recorder.top.finish(noSlot, noSlot)
			noteThreads()
			wire.step(recorder.top.serial, tagExit, recorder.top.line, strconv.AppendInt(nil, int64(code), 10))
		}
		wire.end("exited", strconv.AppendInt(nil, int64(code&0xff), 10))
	}
	leaveProcess(code)
}
