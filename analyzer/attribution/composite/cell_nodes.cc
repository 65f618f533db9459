// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/cell_nodes.h"

#include <algorithm>
#include <string_view>

#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {

CellNodes::CellNodes(const TraceModel& model, const Process& process,
                     const RangeIndex& ranges,
                     const ProcessAttribution& attribution)
    : model_(model),
      process_(process),
      ranges_(ranges),
      attribution_(attribution) {
  any_ = std::ranges::any_of(
      process.ranges, [](const Range& range) { return range.sequence >= 0; });
  if (!process.ranges.empty()) FindWholeCells();
}

bool CellNodes::IsInWholeCell(size_t activity) const {
  const RangeId ruling = attribution_.activities[activity].ruling;
  return ruling.known() && whole_.contains(ruling.value());
}

RangeId CellNodes::InnermostOf(size_t activity) const {
  const RangeId id = process_.activities[activity].annotation;
  const CallId by = attribution_.activities[activity].submitted_by;
  if (id.known() || !by.known()) return id;
  const Call& call = process_.calls[by.value()];
  return ranges_.InnermostAt(call.thread, call.begin_ns);
}

int64_t CellNodes::NodeOf(size_t activity) {
  if (!any_) return -1;
  const bool backward = attribution_.activities[activity].in_backward;
  for (RangeId id = InnermostOf(activity); id.known();
       id = ranges_.ParentOf(id)) {
    const Range& range = process_.ranges[id.value()];
    if (range.sequence < 0) continue;
    if (IsNode(range) == backward) return range.sequence;
  }
  return -1;
}

bool CellNodes::IsNode(const Range& range) {
  const auto [it, is_new] = names_.try_emplace(range.name.value());
  if (is_new) {
    it->second =
        model_.texts[range.name].find("Backward") != std::string_view::npos;
  }
  return it->second;
}

bool CellNodes::IsProduct(TextId kernel) {
  const auto [it, is_new] = products_.try_emplace(kernel.value());
  if (is_new) {
    const NameRule* rule = MatchKernelName(Demangle(model_.texts[kernel]));
    it->second = rule != nullptr && rule->layer_class == LayerClass::kGemm;
  }
  return it->second;
}

// Whether the activity is of a call that computes a whole layer, as cuDNN's.
bool CellNodes::IsOfLibrary(size_t activity) const {
  const RangeId id = InnermostOf(activity);
  if (!id.known()) return false;
  const std::string_view name = model_.texts[process_.ranges[id.value()].name];
  return name.starts_with("aten::_cudnn_rnn") ||
         name.starts_with("aten::miopen_rnn");
}

// Also an operator without a kernel of its own makes a node: in that of a
// transposed weight its gradients add up. Where a library computes the layer,
// its gradient is one operator: in the nodes nothing else is of the cell, only
// sums of what several calls give for one weight.
void CellNodes::FindWholeCells() {
  absl::flat_hash_set<size_t> of_library;
  for (size_t i = 0; i < process_.activities.size(); ++i) {
    const Attributed& at = attribution_.activities[i];
    if (at.layer_class == LayerClass::kRnn && !at.in_backward &&
        at.ruling.known() && process_.activities[i].name.known() &&
        IsProduct(process_.activities[i].name)) {
      whole_.insert(at.ruling.value());
      if (IsOfLibrary(i)) of_library.insert(at.ruling.value());
    }
  }
  if (whole_.empty()) return;
  for (size_t i = 0; i < process_.ranges.size(); ++i) {
    if (process_.ranges[i].sequence < 0) continue;
    for (RangeId id(i); id.known(); id = ranges_.ParentOf(id)) {
      if (whole_.contains(id.value()) && !of_library.contains(id.value())) {
        whole_nodes_.insert(process_.ranges[i].sequence);
      }
    }
  }
}

}  // namespace dltap::analyzer
