// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/pipeline_messages.h"

#include <algorithm>
#include <numeric>
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

// The passes, by place, that as many messages belong to: all; those with a
// peer, where no others were recorded (a model of several chunks has many
// without one on its first and last stage); or all but one.
template <typename Crosses>
absl::StatusOr<std::vector<size_t>> PassesThatHaveMessages(
    size_t messages, size_t passes, Crosses crosses, const MessageSide& side,
    StagePlace place) {
  std::vector<size_t> with_peer;
  for (size_t pass = 0; pass < passes; ++pass) {
    if (crosses(pass)) with_peer.push_back(pass);
  }
  if (messages == with_peer.size()) return with_peer;
  const bool at_end = place.stage == 0 || place.stage == place.stages - 1;
  if (messages > passes || passes - messages > (at_end ? 1 : 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("stage ", place.stage, " has ", messages,
                     " messages for ", passes, " passes"));
  }
  // What the first pass receives, from no one, may not be recorded.
  std::vector<size_t> all(messages);
  std::iota(all.begin(), all.end(), side.is_send ? 0 : passes - messages);
  return all;
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
  std::vector<const PipelineOperation*> passes = computes;
  std::sort(passes.begin(), passes.end(),
            [](auto* a, auto* b) { return a->sequence < b->sequence; });
  const auto carrying = ThatCarry(messages, computes, side.is_send);
  if (carrying.empty()) return matched;
  const auto crosses = [&](size_t pass) {
    const int peer_chunk = passes[pass]->global_chunk + side.direction;
    return peer_chunk >= 0 && peer_chunk < place.chunks;
  };
  const absl::StatusOr<std::vector<size_t>> of = PassesThatHaveMessages(
      carrying.size(), passes.size(), crosses, side, place);
  if (!of.ok()) return of.status();
  for (size_t i = 0; i < carrying.size(); ++i) {
    const size_t pass = (*of)[i];
    matched.push_back({carrying[i], passes[pass],
                       pass > 0 ? passes[pass - 1] : nullptr, crosses(pass)});
  }
  return matched;
}

bool BeginsBefore(const PipelineOperation* a, const PipelineOperation* b) {
  return std::tie(a->begin_s, a->sequence, a->kind) <
         std::tie(b->begin_s, b->sequence, b->kind);
}

}  // namespace dltap::analyzer
