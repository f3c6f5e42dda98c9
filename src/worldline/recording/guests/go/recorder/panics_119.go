//go:build !go1.22

package worldline

import "unsafe"

// panicRecord is the beginning of the runtime's own record of a panic.
type panicRecord struct {
	_         unsafe.Pointer
	arg       eface
	link      *panicRecord
	_         [2]uintptr
	recovered bool
	aborted   bool
	goexit    bool
}
