// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_READ_MARKS_H_
#define DLTAP_SIMGPU_BYTES_READ_MARKS_H_

namespace dltap::simgpu {

// An NVTX mark, its text the place: a tool that listens to NVTX has the read
// where it happened, in whatever it writes. The domain is "dltap.simulation"
// or, where such numbers are plausible ones, "dltap.simulation.plausible". The
// caller holds no lock.
void MarkUncomputedRead(const char* place);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_READ_MARKS_H_
