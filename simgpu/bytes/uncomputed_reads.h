// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_UNCOMPUTED_READS_H_
#define DLTAP_SIMGPU_BYTES_UNCOMPUTED_READS_H_

#include <cstddef>

namespace dltap::simgpu {

// A program looks at a number that is stale or assumed (freshness.h). It may
// decide something by it that it would not on a GPU, so that the reads are
// counted and their places named when the process ends. Thread-safe.

// `value`: what it gets. Called where the copy is carried out; the read is
// counted, and its place is asked for by the next function.
void NoteUncomputedRead(const void* value, size_t bytes);

// Names the place of what this thread has just read, if that was one, and marks
// it for tools (read_marks.h; at most 10,000 times a place). Says on stderr
// when a place gets the same number for ever. The caller holds no lock.
void NameUncomputedRead();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_UNCOMPUTED_READS_H_
