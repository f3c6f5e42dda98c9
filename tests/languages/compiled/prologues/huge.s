_ZN3big4huge17h1e883ed730fae675E:
.Lfunc_begin375:
	.loc	25 11 0
	.cfi_startproc
	.cfi_personality 156, DW.ref.rust_eh_personality
	.cfi_lsda 28, .Lexception41
	stp	x29, x30, [sp, #-32]!
	str	x28, [sp, #16]
	mov	x29, sp
	sub	sp, sp, #7, lsl #12
	sub	sp, sp, #96
	.cfi_def_cfa w29, 32
	.cfi_offset w28, -16
	.cfi_offset w30, -24
	.cfi_offset w29, -32
	str	x8, [sp, #40]
	str	x0, [sp, #48]
	stur	x0, [x29, #-24]
	add	x8, sp, #6, lsl #12
