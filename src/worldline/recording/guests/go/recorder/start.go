package worldline

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	_ "unsafe" // for the link to the runtime
)

const variable = "WORLDLINE_GUEST"

var report int

// maxStack is where the runtime ends a recursion; the recorder needs more memory for its frames than the stack has.
//
//go:linkname maxStack runtime.maxstacksize
var maxStack uintptr

// The recorder is set up before the program's own packages, which do not see its settings.
func init() {
	settings, isSet := syscall.Getenv(variable)
	if !isSet {
		return
	}
	for _, name := range [...]string{variable, "GOMAXPROCS", "GOGC", "GOMEMLIMIT"} { // the runtime has read its own
		syscall.Unsetenv(name)
	}
	for _, hook := range hooks { // the linker leaves out what nobody reads
		if hook == nil {
			fail("no hook")
		}
	}
	var numbers [8]int
	for i, word := range strings.SplitN(settings, ",", len(numbers)) {
		numbers[i], _ = strconv.Atoi(word)
	}
	report = numbers[1]
	render.maxBytes, render.maxDepth = numbers[3], numbers[4]
	recorder.isCall = numbers[5] == 1
	maxStack = uintptr(numbers[6])
	if numbers[7] != 0 {
		openTape(numbers[7])
	}
	if err := wire.open(numbers[0], numbers[2]); err != nil {
		fail("the recorder cannot map its file: " + err.Error())
	}
	wire.texts(tagMeta, "name", "go")
	wire.texts(tagMeta, "version", strings.TrimPrefix(runtime.Version(), "go"))
	wire.texts(tagMeta, "core", "source")
	if !hasCommonSeeds() {
		wire.texts(tagNote, "order")
	}
	if !knowsPanics() {
		fail("the recorder does not know the records of panics of this Go")
	}
	syscall.Write(report, []byte("begun"))
	syscall.Close(report)
}

func fail(message string) {
	syscall.Write(2, []byte(message+"\n"))
	leaveProcess(70)
}

// Begin starts the recording: the goroutine that calls it is the one that is recorded.
func Begin() {
	if report == 0 || recorder.main != nil {
		return
	}
	recorder.main = getg()
	recorder.isOn = true
}

// knowsPanics looks for a panic of its own where the recorder will look for those of the program.
func knowsPanics() (isFound bool) {
	const sign = "worldline"
	defer func() {
		newest := newestPanic(getg())
		isFound = newest != nil && newest.arg.data != nil && *(*string)(newest.arg.data) == sign && isUnderWay(newest)
		recover()
		isFound = isFound && newest.recovered
	}()
	panic(sign)
}
