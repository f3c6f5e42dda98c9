// The goroutine that executes: its number has no other name.
TEXT ·getg(SB), 4, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
