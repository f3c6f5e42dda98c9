//go:build go1.27

package worldline

// mapSizes is the end of the runtime's type of a map.
type mapSizes struct {
	group       uintptr
	keys        uintptr
	keyStride   uintptr
	values      uintptr
	valueStride uintptr
}

func slotsOf(sizes *mapSizes) mapLayout {
	return mapLayout{
		groupSize: sizes.group,
		keys:      sizes.keys, keyStride: sizes.keyStride,
		values: sizes.values, valueStride: sizes.valueStride,
	}
}
