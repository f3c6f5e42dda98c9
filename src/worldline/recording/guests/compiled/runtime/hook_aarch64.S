/* The hook for aarch64. A site pushes x16 and x30 and puts its number into w16; everything is given back as it was. */
	.text
	.globl	__wl_hook
	.type	__wl_hook, %function
__wl_hook:
	stp	x17, x15, [sp, #-16]!
	adrp	x17, wl_gate
	ldr	x17, [x17, #:lo12:wl_gate]
	mrs	x15, tpidr_el0
	sub	x17, x17, x15			/* no flags are touched */
	cbnz	x17, 8f
1:	adrp	x17, wl_inside
	mov	x15, sp
	str	x15, [x17, #:lo12:wl_inside]
	adrp	x17, wl_gate
	str	xzr, [x17, #:lo12:wl_gate]	/* from here on a signal's handler finds it shut */
	adrp	x17, wl_registers
	add	x17, x17, :lo12:wl_registers
	stp	x0, x1, [x17]
	stp	x2, x3, [x17, #16]
	stp	x4, x5, [x17, #32]
	stp	x6, x7, [x17, #48]
	stp	x8, x9, [x17, #64]
	stp	x10, x11, [x17, #80]
	stp	x12, x13, [x17, #96]
	ldp	x0, x1, [sp], #16		/* x17, x15 */
	stp	x14, x1, [x17, #112]
	ldr	x1, [sp]			/* x16 */
	stp	x1, x0, [x17, #128]
	stp	x18, x19, [x17, #144]
	stp	x20, x21, [x17, #160]
	stp	x22, x23, [x17, #176]
	stp	x24, x25, [x17, #192]
	stp	x26, x27, [x17, #208]
	stp	x28, x29, [x17, #224]
	ldr	x0, [sp, #8]			/* x30 */
	add	x1, sp, #16
	stp	x0, x1, [x17, #240]
	mrs	x0, nzcv
	stp	x0, x30, [x17, #256]
	mov	x0, sp
	str	x0, [x17, #272]
	stp	q0, q1, [x17, #288]
	stp	q2, q3, [x17, #320]
	stp	q4, q5, [x17, #352]
	stp	q6, q7, [x17, #384]
	stp	q8, q9, [x17, #416]
	stp	q10, q11, [x17, #448]
	stp	q12, q13, [x17, #480]
	stp	q14, q15, [x17, #512]
	stp	q16, q17, [x17, #544]
	stp	q18, q19, [x17, #576]
	stp	q20, q21, [x17, #608]
	stp	q22, q23, [x17, #640]
	stp	q24, q25, [x17, #672]
	stp	q26, q27, [x17, #704]
	stp	q28, q29, [x17, #736]
	stp	q30, q31, [x17, #768]
	adrp	x0, wl_stack_top
	ldr	x0, [x0, #:lo12:wl_stack_top]
	mov	sp, x0
	mov	w0, w16
	mov	x1, x17
	bl	wl_event
	adrp	x17, wl_registers
	add	x17, x17, :lo12:wl_registers
	ldp	q0, q1, [x17, #288]
	ldp	q2, q3, [x17, #320]
	ldp	q4, q5, [x17, #352]
	ldp	q6, q7, [x17, #384]
	ldp	q8, q9, [x17, #416]
	ldp	q10, q11, [x17, #448]
	ldp	q12, q13, [x17, #480]
	ldp	q14, q15, [x17, #512]
	ldp	q16, q17, [x17, #544]
	ldp	q18, q19, [x17, #576]
	ldp	q20, q21, [x17, #608]
	ldp	q22, q23, [x17, #640]
	ldp	q24, q25, [x17, #672]
	ldp	q26, q27, [x17, #704]
	ldp	q28, q29, [x17, #736]
	ldp	q30, q31, [x17, #768]
	ldp	x0, x30, [x17, #256]
	msr	nzcv, x0
	ldr	x0, [x17, #272]
	mov	sp, x0
	ldp	x0, x1, [x17]
	ldp	x2, x3, [x17, #16]
	ldp	x4, x5, [x17, #32]
	ldp	x6, x7, [x17, #48]
	ldp	x8, x9, [x17, #64]
	ldp	x10, x11, [x17, #80]
	ldp	x12, x13, [x17, #96]
	ldr	x14, [x17, #112]
	ldr	x15, [x17, #120]
	ldr	x17, [x17, #136]
	stp	x17, x15, [sp, #-16]!
	adrp	x17, wl_thread
	ldr	x15, [x17, #:lo12:wl_thread]
	adrp	x17, wl_gate
	str	x15, [x17, #:lo12:wl_gate]	/* open again: the saved registers are of no use any more */
9:	ldp	x17, x15, [sp], #16
	ret
8:	adrp	x17, wl_thread			/* shut: for another thread, or inside the recorder, or left by a jump? */
	ldr	x17, [x17, #:lo12:wl_thread]
	sub	x17, x17, x15
	cbnz	x17, 9b
	adrp	x17, wl_inside
	ldr	x17, [x17, #:lo12:wl_inside]
	mov	x15, sp
	sub	x17, x17, x15
	tbnz	x17, #63, 1b			/* above where it was entered: it was left by a jump */
	b	9b
	.size	__wl_hook, .-__wl_hook

/* wl_call(address, general, floats, result, ...): a call with eight registers of each class, nothing on the stack. */
	.globl	wl_call
	.type	wl_call, %function
wl_call:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	mov	x16, x0
	mov	x17, x1
	mov	x8, x3
	ldp	d0, d1, [x2]
	ldp	d2, d3, [x2, #16]
	ldp	d4, d5, [x2, #32]
	ldp	d6, d7, [x2, #48]
	ldp	x0, x1, [x17]
	ldp	x2, x3, [x17, #16]
	ldp	x4, x5, [x17, #32]
	ldp	x6, x7, [x17, #48]
	blr	x16
	ldp	x29, x30, [sp], #16
	ret
	.size	wl_call, .-wl_call
	.section	.note.GNU-stack, "", %progbits
