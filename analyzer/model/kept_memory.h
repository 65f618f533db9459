// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_KEPT_MEMORY_H_
#define DLTAP_ANALYZER_MODEL_KEPT_MEMORY_H_

namespace dltap::analyzer {

// For a process that goes over a trace pass by pass, and slice by slice: what
// one frees stays here for the next. Else the arrays of each pass are mapped,
// filled with zeroes and given back, a tenth of all processor time and more. It
// takes 4 % more memory at the peak.
void KeepFreedMemory();

// The same, and what the heap grows into is large pages where the kernel has
// them: for one that comes back to the same memory again and again. Whoever
// fills it once may wait longer for a large page than for 512 small ones. A
// second call changes nothing.
void KeepFreedMemoryInLargePages();

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_KEPT_MEMORY_H_
