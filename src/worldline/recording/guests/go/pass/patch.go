package main

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
)

// The functions of the library that begin with a jump to one of the recorder (recorder/streams.go).
var bent = map[string]string{
	"syscall.write": "worldline.hookWrite",
	"syscall.read":  "worldline.hookRead",
	"syscall.Exit":  "worldline.hookExit",
}

// Those of a controlled program (recorder/hidden.go).
var bentByControl = map[string]string{
	"time.now":                   "worldline.hookNow",
	"runtime.nanotime":           "worldline.hookNano",
	"crypto/rand.(*reader).Read": "worldline.hookRandom",
	"os.fastrand":                "worldline.hookFastrand",
	"syscall.Gettimeofday":       "worldline.hookGettimeofday",
	"syscall.gettimeofday.abi0":  "worldline.hookTimeval.abi0",
	"syscall.Getrusage":          "worldline.hookGetrusage",
}

// patch bends the functions in a linked program. One that is not in it needs no jump.
func patch(program string, isControlled bool) error {
	file, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return err
	}
	addresses := map[string]uint64{}
	for _, symbol := range symbols {
		addresses[symbol.Name] = symbol.Value
	}
	text := file.Section(".text")
	out, err := os.OpenFile(program, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	jumps := map[string]string{}
	for from, to := range bent {
		jumps[from] = to
	}
	for from, to := range bentByControl {
		if isControlled {
			jumps[from] = to
		}
	}
	for from, to := range jumps {
		at, isThere := addresses[from]
		target, isKnown := addresses[to]
		if !isThere {
			continue
		}
		if !isKnown {
			return fmt.Errorf("the program has no %s", to)
		}
		if _, err := out.WriteAt(jump(file.Machine, at, target), int64(at-text.Addr+text.Offset)); err != nil {
			return err
		}
	}
	return nil
}

// jump is the instruction at one address that continues at another.
func jump(machine elf.Machine, at, target uint64) []byte {
	if machine == elf.EM_AARCH64 {
		code := make([]byte, 4)
		binary.LittleEndian.PutUint32(code, 0x14000000|uint32((target-at)>>2)&0x03ffffff)
		return code
	}
	code := make([]byte, 5)
	code[0] = 0xe9
	binary.LittleEndian.PutUint32(code[1:], uint32(target-at-5))
	return code
}
