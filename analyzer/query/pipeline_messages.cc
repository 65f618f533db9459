// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/pipeline_messages.h"

#include <algorithm>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

using Kind = OperationKind;

// By how much the clocks of published traces may be off inside a worker.
constexpr double kToleranceSeconds = 5e-5;

struct NamedKind {
  std::string_view name;
  Kind kind;
};
constexpr NamedKind kKinds[] = {
    {"forward-compute", Kind::kForwardCompute},
    {"backward-compute", Kind::kBackwardCompute},
    {"forward-send", Kind::kForwardSend},
    {"forward-recv", Kind::kForwardReceive},
    {"backward-send", Kind::kBackwardSend},
    {"backward-recv", Kind::kBackwardReceive},
    {"params-all-gather", Kind::kParamsAllGather},
    {"grads-reduce-scatter", Kind::kGradsReduceScatter},
    {"separate-grads-all-reduce", Kind::kSeparateGradsAllReduce},
    {"layernorm-grads-all-reduce", Kind::kLayerNormGradsAllReduce},
    {"embedding-grads-all-reduce", Kind::kEmbeddingGradsAllReduce},
    {"optimizer-clip-main-grad", Kind::kClipGrads},
    {"optimizer", Kind::kOptimizer},
    {"gc", Kind::kGarbageCollection}};

std::vector<const PipelineOperation*> ThatCarry(
    const std::vector<const PipelineOperation*>& messages,
    const std::vector<const PipelineOperation*>& computes, bool is_send) {
  const double last_begin =
      (*std::max_element(computes.begin(), computes.end(), BeginsBefore))
          ->begin_s;
  const double first_end = (*std::min_element(computes.begin(), computes.end(),
                                              [](auto* a, auto* b) {
                                                return a->end_s() < b->end_s();
                                              }))
                               ->end_s();
  std::vector<const PipelineOperation*> found;
  for (const PipelineOperation* message : messages) {
    const bool carries =
        is_send ? message->end_s() >= first_end - kToleranceSeconds
                : message->begin_s <= last_begin + kToleranceSeconds;
    if (carries) found.push_back(message);
  }
  return found;
}

}  // namespace

std::optional<OperationKind> OperationNamed(std::string_view name) {
  for (const NamedKind& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

MessageSide SideOf(OperationKind kind) {
  switch (kind) {
    case Kind::kForwardSend:
      return {Kind::kForwardCompute, Kind::kForwardReceive, true, 1};
    case Kind::kForwardReceive:
      return {Kind::kForwardCompute, Kind::kForwardSend, false, -1};
    case Kind::kBackwardSend:
      return {Kind::kBackwardCompute, Kind::kBackwardReceive, true, -1};
    default: return {Kind::kBackwardCompute, Kind::kBackwardSend, false, 1};
  }
}

int PeerOf(int stage, const MessageSide& side, int stages) {
  return (stage + side.direction + stages) % stages;
}

absl::StatusOr<std::vector<MatchedMessage>> MatchToComputes(
    const std::vector<const PipelineOperation*>& messages,
    const std::vector<const PipelineOperation*>& computes,
    const MessageSide& side, StagePlace place) {
  std::vector<MatchedMessage> matched;
  if (computes.empty() || messages.empty()) return matched;
  std::vector<const PipelineOperation*> by_sequence = computes;
  std::sort(by_sequence.begin(), by_sequence.end(),
            [](auto* a, auto* b) { return a->sequence < b->sequence; });
  const auto carrying = ThatCarry(messages, computes, side.is_send);
  if (carrying.empty()) return matched;
  const size_t missing = by_sequence.size() - carrying.size();
  const bool at_end = place.stage == 0 || place.stage == place.stages - 1;
  if (carrying.size() > by_sequence.size() || missing > (at_end ? 1 : 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("stage ", place.stage, " has ", carrying.size(),
                     " messages for ", by_sequence.size(), " passes"));
  }
  // What the first pass receives, from no one, may not be recorded.
  size_t pass = side.is_send ? 0 : missing;
  for (const PipelineOperation* message : carrying) {
    const PipelineOperation* compute = by_sequence[pass];
    const int peer_chunk = compute->global_chunk + side.direction;
    matched.push_back({message, compute,
                       pass > 0 ? by_sequence[pass - 1] : nullptr,
                       peer_chunk >= 0 && peer_chunk < place.chunks});
    ++pass;
  }
  return matched;
}

bool BeginsBefore(const PipelineOperation* a, const PipelineOperation* b) {
  return std::tie(a->begin_s, a->sequence, a->kind) <
         std::tie(b->begin_s, b->sequence, b->kind);
}

}  // namespace dltap::analyzer
