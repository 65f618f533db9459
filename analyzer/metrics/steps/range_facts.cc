// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/range_facts.h"

#include <charconv>
#include <string_view>

namespace dltap::analyzer {
namespace {

// XLA and NCCL mark their own work.
bool IsOfLibrary(std::string_view domain) {
  return domain == "TSL" || domain == "NCCL";
}

}  // namespace

RangeId RangeFacts::InnermostOf(const Activity& activity, CallId call) const {
  if (activity.annotation.known()) return activity.annotation;
  if (!call.known() || process_.ranges.empty()) return RangeId();
  const Call& at = process_.calls[call.value()];
  return ranges_.InnermostAt(at.thread, at.begin_ns);
}

RangeFacts::Kind RangeFacts::KindOf(const Range& range) {
  if (range.kind == RangeKind::kUserAnnotation) return Kind::kLabel;
  if (range.kind == RangeKind::kStep || range.kind == RangeKind::kDataLoader) {
    return Kind::kOther;
  }
  const auto [it, is_new] = kinds_.try_emplace(range.name.value());
  if (!is_new) return it->second;
  const std::string_view name = model_.texts[range.name];
  if (range.kind == RangeKind::kPython) {
    if (name.starts_with("nn.Module: ")) it->second = Kind::kModule;
  } else if (name.find("Backward") != std::string_view::npos) {
    it->second = Kind::kNode;
  } else if (range.kind == RangeKind::kNvtx &&
             !IsOfLibrary(model_.texts[range.domain]) &&
             name.find("::") == std::string_view::npos &&
             name.find(", seq = ") == std::string_view::npos) {
    it->second = Kind::kLabel;
  }
  return it->second;
}

// PyTorch's emit_nvtx writes it into the name: "aten::mm, seq = 7".
int64_t RangeFacts::SequenceOf(const Range& range) const {
  if (range.sequence >= 0 || range.kind == RangeKind::kPython) {
    return range.sequence;
  }
  constexpr std::string_view kMark = ", seq = ";
  const std::string_view name = model_.texts[range.name];
  const size_t at = name.find(kMark);
  int64_t sequence = -1;
  if (at == std::string_view::npos) return sequence;
  std::from_chars(name.data() + at + kMark.size(), name.data() + name.size(),
                  sequence);
  return sequence;
}

// Right inside `evaluate_function`, but in no node, gradients are summed up:
// that is not the node's work.
RangeId RangeFacts::NodeOf(RangeId innermost, bool backward) {
  for (RangeId id = innermost; id.known(); id = ranges_.ParentOf(id)) {
    const Range& range = process_.ranges[id.value()];
    if (range.backward) break;
    if (backward != (KindOf(range) == Kind::kNode)) continue;
    if (SequenceOf(range) >= 0) return id;
  }
  return RangeId();
}

int64_t RangeFacts::SequenceOf(RangeId innermost, bool backward) {
  const RangeId node = NodeOf(innermost, backward);
  return node.known() ? SequenceOf(process_.ranges[node.value()]) : -1;
}

RangeId RangeFacts::Around(RangeId innermost, Kind kind) {
  for (RangeId id = innermost; id.known(); id = ranges_.ParentOf(id)) {
    if (KindOf(process_.ranges[id.value()]) == kind) return id;
  }
  return RangeId();
}

RangeId RangeFacts::ModuleAround(RangeId innermost) {
  return Around(innermost, Kind::kModule);
}

RangeId RangeFacts::LabelAround(RangeId innermost) {
  return Around(innermost, Kind::kLabel);
}

}  // namespace dltap::analyzer
