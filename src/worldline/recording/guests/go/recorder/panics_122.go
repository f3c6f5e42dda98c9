//go:build go1.22 && !go1.25

package worldline

import "unsafe"

// panicRecord is the beginning of the runtime's own record of a panic.
type panicRecord struct {
	_         unsafe.Pointer
	arg       eface
	link      *panicRecord
	_         [8]uintptr
	recovered bool
	goexit    bool
}
