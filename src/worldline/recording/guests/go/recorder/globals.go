package worldline

// pointers are those to the variables of the package that a file initialises.
type pointers interface{ Pointers() []any }

// Globals says what leads to the variables that are initialised in the frame of this code.
func Globals(code *Code, of pointers) bool {
	code.globals = of
	return true
}

// Value is a value that is computed after its step.
func Value[T any](_ bool, value T) T { return value }

// Global is called before variables of the package get their value: those of `count` slots. Line 0: it has no step.
func Global(code *Code, line, first, count int) bool {
	g := getg()
	if recorder.main == nil {
		Begin()
	}
	if !recorder.isOn || g != recorder.main {
		return false
	}
	hold()
	f := recorder.top
	if f == nil || f.code != code {
		f = initFrame(code)
	}
	if line > 0 {
		f.event(line, 0, noSlot, noSlot)
	}
	variables := code.globals.Pointers()
	for k := first; k < first+count; k++ {
		f.bind(k, variables[k])
	}
	release()
	return false
}

// initFrame begins the frame of a file's variables. It has no call in the program, so none ends it either.
func initFrame(code *Code) *Frame {
	streams.flush()
	if f := recorder.top; f != nil {
		f.leaveInit()
	}
	f := newFrame(code)
	f.panics = countPanics(newestPanic(recorder.main))
	return f
}

func (f *Frame) leaveInit() {
	streams.flush()
	f.finish(noSlot, noSlot)
	wire.step(f.serial, tagReturn, f.line, []byte("None"))
	recorder.top = f.parent
	f.letGo()
	recorder.free = append(recorder.free, f)
}

// Initialised is called when all variables of the package have their values.
func Initialised() {
	if recorder.isOn && recorder.top != nil && getg() == recorder.main {
		hold()
		recorder.top.leaveInit()
		release()
	}
}
