package worldline

import (
	"runtime"
	"strings"
	"unsafe"
)

// function writes a func value by its name.
func (r *renderer) function(closure unsafe.Pointer, _ int) {
	if closure == nil {
		r.put("None")
		return
	}
	entry := *(*uintptr)(closure)
	r.put("<function " + functionName(entry) + ">")
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
	name = strings.TrimPrefix(name, "main.")
	name = strings.NewReplacer("(*", "", ")", "", "-fm", "", "[...]", "").Replace(name)
	if strings.ContainsAny(name, " []()-·/") {
		return "?"
	}
	return name
}
