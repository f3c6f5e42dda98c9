_ZN3big4fill17hb7c86816d95321e9E:
.Lfunc_begin374:
	.loc	25 3 0
	.cfi_startproc
	.cfi_personality 156, DW.ref.rust_eh_personality
	.cfi_lsda 28, .Lexception40
	stp	x29, x30, [sp, #-32]!
	str	x28, [sp, #16]
	mov	x29, sp
	sub	sp, sp, #2736
	.cfi_def_cfa w29, 32
	.cfi_offset w28, -16
	.cfi_offset w30, -24
	.cfi_offset w29, -32
	str	x8, [sp, #64]
	str	x0, [sp, #72]
	stur	x0, [x29, #-32]
	add	x8, sp, #1376
