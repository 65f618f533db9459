// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NODE_NUMBERS_H_
#define DLTAP_ANALYZER_IMPORTERS_NODE_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A node of autograd that ran, and the thread that made it as the profiler
// numbers threads: from 1, in an order that the trace does not tell.
struct NodeRange {
  uint32_t range;
  int64_t forward_thread;
};

// Every thread numbers the nodes that it makes from 0. Gives those of different
// threads different numbers, in Range::sequence of operators and nodes alike.
// The thread behind the profiler's number is the one that made most of the
// nodes' numbers before they ran.
void NumberNodes(const std::vector<NodeRange>& nodes, Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NODE_NUMBERS_H_
