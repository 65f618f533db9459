// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_GRAPH_CONDITION_H_
#define DLTAP_SIMGPU_GRAPH_GRAPH_CONDITION_H_

#include <cstdint>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/graph/graph_state.h"

namespace dltap::simgpu {

// cudaGraphCondAssignDefault.
constexpr unsigned kAssignDefault = 1;

// What a cudaGraphConditionalHandle stands for. Only device code sets it, and
// kernels do not compute: a launch finds the default value (0 unless the handle
// was made with cudaGraphCondAssignDefault), which no kernel changes but in one
// respect: a while loop that begins ends after its first round, since a loop's
// body is there to end it some time.
struct GraphCondition : Handle {
  static constexpr uint32_t kTag = 0x434f4e44;  // "COND"
  GraphCondition(Graph* owner, unsigned default_at_launch, unsigned how)
      : Handle(kTag),
        graph(owner),
        default_value(default_at_launch),
        flags(how) {}

  Graph* const graph;
  unsigned default_value;
  unsigned flags;
  bool used = false;  // by a conditional node

  unsigned ValueAtLaunch() const {
    return (flags & kAssignDefault) != 0 ? default_value : 0;
  }
};

Error CreateCondition(Graph& graph, unsigned default_value, unsigned flags,
                      GraphCondition** condition);

Error CheckCondition(const Graph& graph, const ConditionalSpec& spec);

// The body that runs by the condition's value; null: none.
Graph* ChosenBody(const GraphNode& node);

// True when every handle of the graph has its node.
bool AllConditionsUsed(const Graph& graph);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_GRAPH_CONDITION_H_
