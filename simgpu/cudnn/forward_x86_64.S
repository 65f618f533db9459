// SPDX-License-Identifier: Apache-2.0
//
// The exported functions of libcudnn.so.9. Each is one jump through a slot,
// which at first leads back here: the stub's second half asks
// dltap_forward_resolve() (forward.cc) for the address, which also fills the
// slot, and goes there with all argument registers as they were.

    .section .data.rel.local, "aw", @progbits
    .globl dltap_forward_slots
    .hidden dltap_forward_slots
    .p2align 3
dltap_forward_slots:

    .text

    .macro STUB index, symbol
    .globl \symbol
    .type \symbol, @function
    .p2align 4
\symbol:
    .cfi_startproc
    endbr64
    jmp *dltap_forward_slots + 8 * \index(%rip)
.Lfirst_call_\index:
    endbr64
    pushq $\index
    .cfi_adjust_cfa_offset 8
    jmp first_call
    .cfi_endproc
    .size \symbol, . - \symbol
    .pushsection .data.rel.local
    .quad .Lfirst_call_\index
    .popsection
    .endm

#define DLTAP_FORWARD(index, symbol, part, gives_status) STUB index, symbol
#include "simgpu_forward_cudnn.inc"
#undef DLTAP_FORWARD

// On the stack: the stub's index, the program's return address. No cuDNN
// function has variable arguments, so rax carries nothing.
    .type first_call, @function
    .p2align 4
first_call:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    subq $176, %rsp
    .cfi_adjust_cfa_offset 176
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movaps %xmm0, 48(%rsp)
    movaps %xmm1, 64(%rsp)
    movaps %xmm2, 80(%rsp)
    movaps %xmm3, 96(%rsp)
    movaps %xmm4, 112(%rsp)
    movaps %xmm5, 128(%rsp)
    movaps %xmm6, 144(%rsp)
    movaps %xmm7, 160(%rsp)
    movl 176(%rsp), %edi
    call dltap_forward_resolve
    movq %rax, %r11
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movaps 48(%rsp), %xmm0
    movaps 64(%rsp), %xmm1
    movaps 80(%rsp), %xmm2
    movaps 96(%rsp), %xmm3
    movaps 112(%rsp), %xmm4
    movaps 128(%rsp), %xmm5
    movaps 144(%rsp), %xmm6
    movaps 160(%rsp), %xmm7
    addq $184, %rsp
    .cfi_adjust_cfa_offset -184
    jmp *%r11
    .cfi_endproc
    .size first_call, . - first_call

    .section .note.GNU-stack, "", @progbits
