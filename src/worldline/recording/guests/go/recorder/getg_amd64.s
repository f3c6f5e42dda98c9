// The goroutine that executes: its number has no other name.
TEXT ·getg(SB), 4, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// With a name for the calls of assembly: hookTimeval takes the place of a function that has no other.
TEXT ·timeval(SB), 4, $0-16
	JMP ·hookTimeval(SB)
