package worldline

import (
	"runtime"
	"strings"
	"unsafe"
)

var (
	closures  = map[string]*Code{}    // that capture variables, by their name
	functions = map[uintptr]*target{} // by their entry
)

// target is what a func value calls.
type target struct {
	name    string
	closure *Code
}

// Closures tells of the function literals that capture variables.
func Closures(codes ...*Code) {
	for _, code := range codes {
		closures[code.Name] = code
	}
}

// function writes a func value: its name, and the variables that it captures.
func (r *renderer) function(closure unsafe.Pointer, depth int) {
	if closure == nil {
		r.put("None")
		return
	}
	at := targetOf(*(*uintptr)(closure))
	code := at.closure
	if code == nil || r.isPlain || !code.knowsCaptured() {
		r.put("<function " + at.name + ">")
		return
	}
	if depth >= r.maxDepth {
		r.put("...<function 0>")
		return
	}
	if r.number("function", objectKey{uintptr(closure), nil}) {
		return
	}
	r.put("(<function " + at.name + ">")
	// After its entry, a closure has a pointer to each variable, in the order in which its first call names them.
	word := unsafe.Add(closure, 8)
	for i := range code.Slots {
		slot := &code.Slots[i]
		if slot.Outer == 0 {
			continue
		}
		variable := *(*unsafe.Pointer)(word)
		word = unsafe.Add(word, 8)
		r.note(variable, slot.shape.size)
		r.put(", " + slot.Name + "=")
		r.write(slot.shape, variable, depth+1)
	}
	r.put(")")
}

// knowsCaptured finds the types of the captured variables, which the function around has bound before.
func (c *Code) knowsCaptured() bool {
	for i := range c.Slots {
		slot := &c.Slots[i]
		if slot.Outer > 0 && slot.shape == nil {
			slot.shape = c.Outer.Slots[slot.Outer-1].shape
			if slot.shape == nil {
				return false
			}
		}
	}
	return true
}

func targetOf(entry uintptr) *target {
	known := functions[entry]
	if known == nil {
		known = &target{name: functionName(entry)}
		known.closure = closures[known.name]
		functions[entry] = known
	}
	return known
}

// functionName is the name of the program's function at an address, as its frames have it.
func functionName(entry uintptr) string {
	at := runtime.FuncForPC(entry)
	if at == nil {
		return "?"
	}
	name := at.Name()
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
		name = name[slash+1:]
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "main."), "glob..")
	name = strings.NewReplacer("(*", "", ")", "", "-fm", "", "[...]", "").Replace(name)
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if part == "" || strings.ContainsAny(part, " []()-·/") {
			return "?"
		}
		if part[0] >= '0' && part[0] <= '9' { // a literal inside a literal
			parts[i] = "func" + part
		}
	}
	return strings.Join(parts, ".")
}
