// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_ENGINE_THREADS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_ENGINE_THREADS_H_

#include <string>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Whether an engine hands each operation of the program's one loop to any of
// its threads, as soon as what it needs is there: MXNet's. Then a thread says
// nothing of the program, and weights are updated while the backward pass still
// runs.
inline bool HasEngineThreads(const Process& process) {
  return process.framework.find("mxnet") != std::string::npos;
}

// The same, or where only some of the loop's operations are so handed out, as
// TensorFlow's executor does.
inline bool SpreadsOneLoop(const Process& process) {
  return HasEngineThreads(process) ||
         process.framework.find("tensorflow") != std::string::npos;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_ENGINE_THREADS_H_
