//go:build !go1.23

package worldline

import "unsafe"

// chanHeader is the beginning of a channel of the runtime.
type chanHeader struct {
	count    uint
	capacity uint
	buffer   unsafe.Pointer
	size     uint16
	closed   uint32
	_        unsafe.Pointer
	_        uint
	received uint // the place of the oldest
}
