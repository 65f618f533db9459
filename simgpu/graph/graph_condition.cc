// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_condition.h"

#include <algorithm>

namespace dltap::simgpu {
namespace {

bool SizeFits(ConditionType type, unsigned size) {
  switch (type) {
    case ConditionType::kIf: return size == 1 || size == 2;
    case ConditionType::kWhile: return size == 1;
    case ConditionType::kSwitch: return size > 0;
  }
  return false;
}

// "Associated with a conditional node in this graph or one of its children."
bool IsWithin(const Graph& inner, const Graph* outer) {
  for (const Graph* at = &inner; at != nullptr;
       at = at->parent == nullptr ? nullptr : at->parent->graph) {
    if (at == outer) return true;
  }
  return false;
}

}  // namespace

Error CreateCondition(Graph& graph, unsigned default_value, unsigned flags,
                      GraphCondition** condition) {
  if ((flags & ~kAssignDefault) != 0) return Error::kInvalidValue;
  *condition = HandlePool<GraphCondition>::New(&graph, default_value, flags);
  graph.conditions.push_back(*condition);
  return Error::kSuccess;
}

Error CheckCondition(const Graph& graph, const ConditionalSpec& spec) {
  if (spec.condition == nullptr || spec.condition->used ||
      !IsWithin(graph, spec.condition->graph) ||
      !SizeFits(spec.type, spec.size)) {
    return Error::kInvalidValue;
  }
  return Error::kSuccess;
}

Graph* ChosenBody(const GraphNode& node) {
  if (node.condition == nullptr) return nullptr;
  const unsigned value = node.condition->ValueAtLaunch();
  size_t index = value;
  if (node.condition_type != ConditionType::kSwitch) {
    index = value != 0 ? 0 : 1;
  }
  return index < node.bodies.size() ? node.bodies[index] : nullptr;
}

bool AllConditionsUsed(const Graph& graph) {
  return std::all_of(
      graph.conditions.begin(), graph.conditions.end(),
      [](const GraphCondition* condition) { return condition->used; });
}

}  // namespace dltap::simgpu
