// SPDX-License-Identifier: Apache-2.0
//
// void* dlsym(void* handle, const char* name)
//
// Asks FilterLookup() (dlsym_filter.cc) and jumps to the C library's dlsym: a
// jump, so that the return address there is still the application's, by which
// RTLD_NEXT and RTLD_DEFAULT know their caller. The filter answers in rax:rdx
// {replacement, handle}: a replacement is returned at once, else the lookup
// goes on with that handle. Until the real function is known (a lookup before
// relocation is impossible) the filter finds it.

    .text
    .globl dlsym
    .type dlsym, @function
    .p2align 4
dlsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rdx
    call dltap_filter_lookup
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    jne 1f
    movq %rdx, %rdi
    jmp *dltap_real_dlsym(%rip)
1:
    ret
    .cfi_endproc
    .size dlsym, .-dlsym

// void* dlvsym(void* handle, const char* name, const char* version)
//
// The same, with one argument more.
    .globl dlvsym
    .type dlvsym, @function
    .p2align 4
dlvsym:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rcx
    call dltap_filter_versioned
    popq %rcx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    jne 1f
    movq %rdx, %rdi
    movq %rcx, %rdx
    jmp *dltap_real_dlvsym(%rip)
1:
    ret
    .cfi_endproc
    .size dlvsym, .-dlvsym

    .section .note.GNU-stack, "", @progbits
