// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_OWN_DESCRIPTORS_H_
#define DLTAP_SHIM_TAP_RUNTIME_OWN_DESCRIPTORS_H_

#include <span>

namespace dltap::shim {

// Runs `run(argument)` on a thread with a table of descriptors of its own,
// which is empty, and waits until that has ended: what is open there for a
// moment takes no number that the program counts on, none that its limit still
// allows, and no child that it forks meanwhile inherits it. The program's
// descriptors are not known there.
//
// The C library does not know the thread, nor does a sanitizer in the program;
// it has the caller's thread-local variables and 48 KiB of the caller's stack:
// `run` makes system calls, by syscall(), and little else. Less than 0.1 ms.
// False: it was not run, for there is no thread to be had, or the kernel is
// older than Linux 5.9.
bool WithOwnDescriptors(void (*run)(void* argument), void* argument);

// The same on that stack, aligned to 16 bytes: where the caller may have little
// of its own. A signal of the program's that is not blocked may be handled
// there.
bool WithOwnDescriptors(void (*run)(void* argument), void* argument,
                        std::span<char> stack);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_OWN_DESCRIPTORS_H_
