/* The hook for x86-64. A site pushes its number and calls; everything is given back as it was. Needs -mno-red-zone. */
	.text
	.globl	__wl_hook
	.type	__wl_hook, @function
__wl_hook:
	pushfq
	pushq	%rax
	movq	wl_gate(%rip), %rax
	cmpq	%fs:0, %rax
	jne	8f
1:	movq	%rsp, wl_inside(%rip)
	movq	$0, wl_gate(%rip)		/* from here on a signal's handler finds it shut */
	leaq	wl_registers(%rip), %rax	/* in the order of DWARF's numbers */
	movq	%rdx, 8(%rax)
	movq	%rcx, 16(%rax)
	movq	%rbx, 24(%rax)
	movq	%rsi, 32(%rax)
	movq	%rdi, 40(%rax)
	movq	%rbp, 48(%rax)
	movq	%r8, 64(%rax)
	movq	%r9, 72(%rax)
	movq	%r10, 80(%rax)
	movq	%r11, 88(%rax)
	movq	%r12, 96(%rax)
	movq	%r13, 104(%rax)
	movq	%r14, 112(%rax)
	movq	%r15, 120(%rax)
	popq	%rdx
	movq	%rdx, (%rax)
	popq	%rdx
	movq	%rdx, 256(%rax)			/* flags */
	movl	8(%rsp), %edi
	leaq	16(%rsp), %rdx
	movq	%rdx, 56(%rax)
	movq	%rsp, 272(%rax)
	movups	%xmm0, 288(%rax)
	movups	%xmm1, 304(%rax)
	movups	%xmm2, 320(%rax)
	movups	%xmm3, 336(%rax)
	movups	%xmm4, 352(%rax)
	movups	%xmm5, 368(%rax)
	movups	%xmm6, 384(%rax)
	movups	%xmm7, 400(%rax)
	movups	%xmm8, 416(%rax)
	movups	%xmm9, 432(%rax)
	movups	%xmm10, 448(%rax)
	movups	%xmm11, 464(%rax)
	movups	%xmm12, 480(%rax)
	movups	%xmm13, 496(%rax)
	movups	%xmm14, 512(%rax)
	movups	%xmm15, 528(%rax)
	movq	wl_stack_top(%rip), %rsp
	movq	%rax, %rsi
	cld
	call	wl_event
	leaq	wl_registers(%rip), %rax
	movups	288(%rax), %xmm0
	movups	304(%rax), %xmm1
	movups	320(%rax), %xmm2
	movups	336(%rax), %xmm3
	movups	352(%rax), %xmm4
	movups	368(%rax), %xmm5
	movups	384(%rax), %xmm6
	movups	400(%rax), %xmm7
	movups	416(%rax), %xmm8
	movups	432(%rax), %xmm9
	movups	448(%rax), %xmm10
	movups	464(%rax), %xmm11
	movups	480(%rax), %xmm12
	movups	496(%rax), %xmm13
	movups	512(%rax), %xmm14
	movups	528(%rax), %xmm15
	movq	272(%rax), %rsp
	movq	8(%rax), %rdx
	movq	16(%rax), %rcx
	movq	32(%rax), %rsi
	movq	40(%rax), %rdi
	movq	64(%rax), %r8
	movq	72(%rax), %r9
	movq	80(%rax), %r10
	movq	88(%rax), %r11
	pushq	256(%rax)
	pushq	(%rax)
	movq	wl_thread(%rip), %rax
	movq	%rax, wl_gate(%rip)		/* open again: the saved registers are of no use any more */
9:	popq	%rax
	popfq
	ret	$8
8:	movq	wl_thread(%rip), %rax		/* shut: for another thread, or inside the recorder, or left by a jump? */
	cmpq	%fs:0, %rax
	jne	9b
	cmpq	wl_inside(%rip), %rsp
	ja	1b				/* above where it was entered: it was left by a jump */
	jmp	9b
	.size	__wl_hook, .-__wl_hook

/* wl_call(address, general, floats, result, stacked, words): six general and eight floating registers, words on the stack. */
	.globl	wl_call
	.type	wl_call, @function
wl_call:
	pushq	%rbp
	movq	%rsp, %rbp
	movq	%rdi, %r11
	movq	%rsi, %r10
	leaq	1(%r9), %rcx			/* the stack stays aligned to 16 */
	andq	$-2, %rcx
	shlq	$3, %rcx
	subq	%rcx, %rsp
	movq	%r9, %rcx
	movq	%r8, %rsi
	movq	%rsp, %rdi
	cld
	rep movsq
	movsd	(%rdx), %xmm0
	movsd	8(%rdx), %xmm1
	movsd	16(%rdx), %xmm2
	movsd	24(%rdx), %xmm3
	movsd	32(%rdx), %xmm4
	movsd	40(%rdx), %xmm5
	movsd	48(%rdx), %xmm6
	movsd	56(%rdx), %xmm7
	movq	(%r10), %rdi
	movq	8(%r10), %rsi
	movq	16(%r10), %rdx
	movq	24(%r10), %rcx
	movq	32(%r10), %r8
	movq	40(%r10), %r9
	movl	$8, %eax
	call	*%r11
	leave
	ret
	.size	wl_call, .-wl_call
	.section	.note.GNU-stack, "", @progbits
