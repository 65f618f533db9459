/* SPDX-License-Identifier: Apache-2.0 */
/* The bundled page, as build_page.mjs made it; empty without npm. */
    .section .rodata
    .global dltap_page_begin
    .global dltap_page_end
    .hidden dltap_page_begin
    .hidden dltap_page_end
dltap_page_begin:
    .incbin DLTAP_PAGE
dltap_page_end:
    .section .note.GNU-stack, "", @progbits
