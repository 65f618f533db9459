// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_BENCH_TRAINING_TRACE_H_
#define DLTAP_TESTS_BENCH_TRAINING_TRACE_H_

#include <cstdint>
#include <string>

namespace dltap {

// Writes an own trace of a made-up training run to `path`, whole steps until
// it holds at least `min_events` (calls, API records, activities); returns how
// many. A step has what real ones have: an input copy, library calls with
// launches inside, plain launches of elementwise kernels, a backward pass on
// autograd's thread, all-reduces on a stream of their own, the replay of a
// captured graph, an update, the loss read back, CPU samples.
uint64_t WriteTrainingTrace(const std::string& path, uint64_t min_events);

}  // namespace dltap

#endif  // DLTAP_TESTS_BENCH_TRAINING_TRACE_H_
