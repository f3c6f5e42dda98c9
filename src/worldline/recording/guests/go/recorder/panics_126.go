//go:build go1.26

package worldline

// panicRecord is the beginning of the runtime's own record of a panic.
type panicRecord struct {
	arg        eface
	link       *panicRecord
	_          [8]uintptr
	recovered  bool
	repanicked bool
	goexit     bool
}
