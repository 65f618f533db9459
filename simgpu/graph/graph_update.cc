// SPDX-License-Identifier: Apache-2.0
#include "simgpu/graph/graph_update.h"

#include <algorithm>
#include <utility>

#include "simgpu/graph/graph_condition.h"

namespace dltap::simgpu {
namespace {

bool IsOnDevice(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged;
}

bool SameKind(MemoryKind a, MemoryKind b) {
  return IsOnDevice(a) == IsOnDevice(b) &&
         (a == MemoryKind::kArray) == (b == MemoryKind::kArray);
}

// "Changing either the source or destination memory type is not supported",
// nor are the devices; only one dimension may change its size.
bool MayBecome(const CopyWork& ours, const CopyWork& theirs) {
  const bool flat = ours.height == 1 && ours.depth == 1;
  return SameKind(ours.source_kind, theirs.source_kind) &&
         SameKind(ours.destination_kind, theirs.destination_kind) &&
         ours.source_device == theirs.source_device &&
         ours.destination_device == theirs.destination_device &&
         ours.height == theirs.height && ours.depth == theirs.depth &&
         (flat || ours.width == theirs.width);
}

// "For 2d memsets, only address and assigned value may be updated."
bool MayBecome(const MemsetWork& ours, const MemsetWork& theirs) {
  if (!SameKind(ours.kind, theirs.kind) || ours.height != theirs.height) {
    return false;
  }
  return ours.height == 1 ||
         (ours.width == theirs.width && ours.pitch == theirs.pitch &&
          ours.element_bytes == theirs.element_bytes);
}

// "Number of semaphore operations cannot change."
bool MayBecome(const SemaphoreWork& ours, const SemaphoreWork& theirs) {
  return ours.semaphores.size() == theirs.semaphores.size();
}

// "The number and type of operations cannot change" (batch memory operations).
bool MayBecome(const MemoryOperationsWork& ours,
               const MemoryOperationsWork& theirs) {
  return std::equal(ours.operations.begin(), ours.operations.end(),
                    theirs.operations.begin(), theirs.operations.end(),
                    [](const MemoryOperation& a, const MemoryOperation& b) {
                      return a.type == b.type;
                    });
}

template <typename T>
bool MayBecome(const T&, const T&) {
  return true;
}

// Both hold the same alternative.
bool ParametersMayBecome(const Work& ours, const Work& theirs) {
  return std::visit(
      [&]<typename T>(const T& work) {
        return MayBecome(work, *std::get_if<T>(&theirs));
      },
      ours);
}

// "A cooperative node cannot be updated to a non-cooperative node, and
// vice-versa. If the graph was instantiated with UseNodePriority, the priority
// attribute cannot change."
bool AttributesMayBecome(const GraphNode& ours, const GraphNode& theirs,
                         bool fixed_priority) {
  const auto* kernel = std::get_if<KernelWork>(&ours.work);
  if (kernel == nullptr) return true;
  return kernel->cooperative ==
             std::get_if<KernelWork>(&theirs.work)->cooperative &&
         (!fixed_priority || ours.priority == theirs.priority);
}

class Comparison {
 public:
  explicit Comparison(bool fixed_priority) : fixed_priority_(fixed_priority) {}

  // False, and a report, at the first difference that is not allowed.
  bool Compare(const Graph& ours, const Graph& theirs) {
    if (ours.nodes.size() != theirs.nodes.size()) {
      return Refuse(GraphUpdateResult::kTopologyChanged, nullptr);
    }
    std::unordered_map<const GraphNode*, const GraphNode*> pairs;
    for (size_t i = 0; i < ours.nodes.size(); ++i) {
      pairs[theirs.nodes[i]] = ours.nodes[i];
    }
    for (size_t i = 0; i < ours.nodes.size(); ++i) {
      if (!CompareEdges(*ours.nodes[i], *theirs.nodes[i], pairs) ||
          !CompareNodes(*ours.nodes[i], *theirs.nodes[i])) {
        return false;
      }
    }
    return true;
  }

  GraphUpdateReport report() const { return report_; }

 private:
  bool Refuse(GraphUpdateResult result, GraphNode* node,
              GraphNode* from = nullptr) {
    report_ = {result, node, from};
    return false;
  }

  bool CompareEdges(
      const GraphNode& ours, GraphNode& theirs,
      const std::unordered_map<const GraphNode*, const GraphNode*>& pairs) {
    if (ours.dependencies.size() != theirs.dependencies.size()) {
      return Refuse(GraphUpdateResult::kTopologyChanged, &theirs);
    }
    for (size_t i = 0; i < ours.dependencies.size(); ++i) {
      GraphNode* from = theirs.dependencies[i];
      if (pairs.at(from) != ours.dependencies[i] ||
          theirs.edges[i] != ours.edges[i]) {
        return Refuse(GraphUpdateResult::kTopologyChanged, &theirs, from);
      }
    }
    return true;
  }

  bool CompareNodes(const GraphNode& ours, GraphNode& theirs) {
    if (ours.type != theirs.type) {
      return Refuse(GraphUpdateResult::kNodeTypeChanged, &theirs);
    }
    if (ours.type == GraphNodeType::kMemoryAlloc ||
        ours.type == GraphNodeType::kMemoryFree) {
      return Refuse(GraphUpdateResult::kNotSupported, &theirs);
    }
    if (ours.condition_type != theirs.condition_type ||
        ours.bodies.size() != theirs.bodies.size() ||
        !ParametersMayBecome(ours.work, theirs.work)) {
      return Refuse(GraphUpdateResult::kParametersChanged, &theirs);
    }
    if (!AttributesMayBecome(ours, theirs, fixed_priority_)) {
      return Refuse(GraphUpdateResult::kAttributesChanged, &theirs);
    }
    for (size_t i = 0; i < ours.bodies.size(); ++i) {
      if (!Compare(*ours.bodies[i], *theirs.bodies[i])) return false;
    }
    return ours.child == nullptr || Compare(*ours.child, *theirs.child);
  }

  const bool fixed_priority_;
  GraphUpdateReport report_;
};

bool HasFixedPriority(const GraphExec& exec) {
  return (exec.flags & kUseNodePriority) != 0;
}

void CopyParameters(Graph& ours, const Graph& theirs, NodeMap& clones) {
  for (size_t i = 0; i < ours.nodes.size(); ++i) {
    GraphNode& node = *ours.nodes[i];
    const GraphNode& source = *theirs.nodes[i];
    node.work = source.work;
    node.attributes = source.attributes;
    node.priority = source.priority;
    clones[&source] = &node;
    if (node.condition != nullptr && source.condition != nullptr) {
      node.condition->default_value = source.condition->default_value;
      node.condition->flags = source.condition->flags;
    }
    for (size_t j = 0; j < node.bodies.size(); ++j) {
      CopyParameters(*node.bodies[j], *source.bodies[j], clones);
    }
    if (node.child != nullptr) {
      CopyParameters(*node.child, *source.child, clones);
    }
  }
}

bool CanBeDisabled(GraphNodeType type) {
  return type == GraphNodeType::kKernel || type == GraphNodeType::kMemset ||
         type == GraphNodeType::kCopy;
}

}  // namespace

GraphUpdateReport UpdateGraphExec(GraphExec& exec, const Graph& graph) {
  WaitForOpenLaunches(exec);
  const std::lock_guard lock(exec.mutex);
  Comparison comparison(HasFixedPriority(exec));
  if (comparison.Compare(*exec.graph, graph)) {
    CopyParameters(*exec.graph, graph, exec.clones);
  }
  return comparison.report();
}

Error UpdateChildGraph(GraphExec& exec, GraphNode& node, const Graph& child) {
  WaitForOpenLaunches(exec);
  const std::lock_guard lock(exec.mutex);
  Comparison comparison(HasFixedPriority(exec));
  if (!comparison.Compare(*node.child, child)) return Error::kInvalidValue;
  CopyParameters(*node.child, child, exec.clones);
  return Error::kSuccess;
}

bool CanChange(const GraphNode& node) {
  return node.type != GraphNodeType::kMemoryAlloc &&
         node.type != GraphNodeType::kMemoryFree &&
         node.type != GraphNodeType::kConditional;
}

Error CheckExecChange(const GraphNode& node, const Work& work) {
  if (!CanChange(node)) return Error::kNotSupported;
  return TypeOf(work) == node.type && ParametersMayBecome(node.work, work)
             ? Error::kSuccess
             : Error::kInvalidValue;
}

Error ChangeNode(GraphNode& node, Work work) {
  if (!CanChange(node)) return Error::kNotSupported;
  if (TypeOf(work) != node.type) return Error::kInvalidValue;
  if (auto* kernel = std::get_if<KernelWork>(&work)) {
    // Attributes are no parameters: they stay.
    const auto& old = *std::get_if<KernelWork>(&node.work);
    kernel->cooperative = old.cooperative;
    kernel->cluster = old.cluster;
  }
  node.work = std::move(work);
  return Error::kSuccess;
}

Error ChangeNodeInExec(GraphExec& exec, const GraphNode* original, Work work) {
  WaitForOpenLaunches(exec);
  const std::lock_guard lock(exec.mutex);
  GraphNode* node = NodeInExec(exec, original);
  if (node == nullptr) return Error::kInvalidValue;
  const Error error = CheckExecChange(*node, work);
  return error == Error::kSuccess ? ChangeNode(*node, std::move(work)) : error;
}

Error SetNodeEnabled(GraphExec& exec, const GraphNode* original, bool enabled) {
  WaitForOpenLaunches(exec);
  const std::lock_guard lock(exec.mutex);
  GraphNode* node = NodeInExec(exec, original);
  if (node == nullptr || !CanBeDisabled(node->type)) {
    return Error::kInvalidValue;
  }
  node->enabled = enabled;
  return Error::kSuccess;
}

Error GetNodeEnabled(GraphExec& exec, const GraphNode* original,
                     unsigned* enabled) {
  const std::lock_guard lock(exec.mutex);
  const GraphNode* node = NodeInExec(exec, original);
  if (node == nullptr || enabled == nullptr || !CanBeDisabled(node->type)) {
    return Error::kInvalidValue;
  }
  *enabled = node->enabled ? 1 : 0;
  return Error::kSuccess;
}

Error FindInClone(const GraphNode* original, const Graph& clone,
                  GraphNode** found) {
  if (original == nullptr || found == nullptr) return Error::kInvalidValue;
  const auto at = clone.clone_of.find(original);
  const bool there = at != clone.clone_of.end() &&
                     std::find(clone.nodes.begin(), clone.nodes.end(),
                               at->second) != clone.nodes.end();
  if (!there) return Error::kInvalidValue;
  *found = at->second;
  return Error::kSuccess;
}

Error GetNodeEvent(const GraphNode& node, GraphNodeType type, Event** event) {
  if (node.type != type) return Error::kInvalidValue;
  if (const auto* record = std::get_if<EventRecordWork>(&node.work)) {
    *event = record->event;
    return Error::kSuccess;
  }
  const auto* wait = std::get_if<EventWaitWork>(&node.work);
  if (wait == nullptr) return Error::kInvalidValue;
  *event = wait->event;
  return Error::kSuccess;
}

Work EventWorkOf(GraphNodeType type, Event* event) {
  if (type == GraphNodeType::kEventRecord) return EventRecordWork{event};
  return EventWaitWork{event};
}

}  // namespace dltap::simgpu
