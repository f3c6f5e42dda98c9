//go:build go1.24 && !go1.27

package worldline

// mapSizes is the end of the runtime's type of a map.
type mapSizes struct {
	group uintptr
	slot  uintptr
	value uintptr // its offset in the slot
}

func slotsOf(sizes *mapSizes) mapLayout {
	return mapLayout{
		groupSize: sizes.group,
		keys:      wordSize, keyStride: sizes.slot,
		values: wordSize + sizes.value, valueStride: sizes.slot,
	}
}
