// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/pipeline_graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/query/pipeline_messages.h"

namespace dltap::analyzer {
namespace {

using Kind = OperationKind;
using Operations = std::vector<const PipelineOperation*>;

class Builder {
 public:
  Builder(const std::vector<PipelineOperation>& operations, bool replicated)
      : replicated_(replicated) {
    for (const PipelineOperation& operation : operations) {
      graph_.stages = std::max(graph_.stages, operation.stage + 1);
      chunks_ = std::max(chunks_, operation.chunk + 1);
      const PipelineNode node = NodeOf(operation);
      if (!graph_.index.emplace(node, graph_.nodes.size()).second) continue;
      graph_.nodes.push_back(node);
      all_.push_back(&operation);
    }
    std::sort(all_.begin(), all_.end(), BeginsBefore);
    graph_.needs.resize(graph_.nodes.size());
  }

  absl::StatusOr<PipelineGraph> Build() {
    for (int stage = 0; stage < graph_.stages; ++stage) {
      const absl::Status status = AddStage(stage);
      if (!status.ok()) return status;
    }
    if (const absl::Status status = PairMessages(); !status.ok()) return status;
    AddMeetings();
    return Ordered();
  }

 private:
  static PipelineNode NodeOf(const PipelineOperation& operation) {
    return {operation.kind, operation.sequence, operation.stage};
  }

  Operations Of(int stage, std::set<Kind> kinds) const {
    Operations found;
    for (const PipelineOperation* operation : all_) {
      if (operation->stage == stage && kinds.contains(operation->kind)) {
        found.push_back(operation);
      }
    }
    return found;
  }

  size_t Index(const PipelineOperation& operation) const {
    return graph_.index.at(NodeOf(operation));
  }

  void Need(const PipelineOperation& later, const PipelineOperation& earlier) {
    graph_.needs[Index(later)].push_back(Index(earlier));
  }

  void Chain(const Operations& operations) {
    for (size_t i = 1; i < operations.size(); ++i) {
      Need(*operations[i], *operations[i - 1]);
    }
  }

  absl::Status AddStage(int stage) {
    const Operations computes =
        Of(stage, {Kind::kForwardCompute, Kind::kBackwardCompute});
    if (computes.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("stage ", stage, " computes nothing"));
    }
    Chain(computes);
    for (const Kind kind : kMessageKinds) Chain(Of(stage, {kind}));
    if (const absl::Status status = MatchMessages(stage); !status.ok()) {
      return status;
    }
    WaitBeforeFirstBackward(stage, computes);
    if (replicated_) AddReplicaStream(stage, computes);
    AddEnd(stage, computes);
    return absl::OkStatus();
  }

  absl::Status MatchMessages(int stage) {
    for (const Kind kind : kMessageKinds) {
      const MessageSide side = SideOf(kind);
      const Operations computes = Of(stage, {side.compute});
      absl::StatusOr<std::vector<MatchedMessage>> matched =
          MatchToComputes(Of(stage, {kind}), computes, side,
                          {stage, graph_.stages, chunks_ * graph_.stages});
      if (!matched.ok()) return matched.status();
      for (const MatchedMessage& match : *matched) {
        if (match.crosses) {
          crossing_[{kind, stage}].push_back(Index(*match.message));
        }
        if (side.is_send) {
          Need(*match.message, *match.compute);
          continue;
        }
        Need(*match.compute, *match.message);
        if (match.before != nullptr) Need(*match.message, *match.before);
      }
    }
    return absl::OkStatus();
  }

  // Buffers of the first backward messages are free from the forward pass
  // before the last one on.
  void WaitBeforeFirstBackward(int stage, const Operations& computes) {
    const auto first = std::find_if(
        computes.begin(), computes.end(),
        [](const auto* o) { return o->kind == Kind::kBackwardCompute; });
    if (first == computes.end() || first - computes.begin() < 2) return;
    for (const Kind kind : {Kind::kBackwardReceive, Kind::kBackwardSend}) {
      for (const PipelineOperation* message : Of(stage, {kind})) {
        if (message->sequence == 0) Need(*message, **(first - 2));
      }
    }
  }

  // Parameters come before the first forward pass of their chunk; gradients
  // that overlap go after the last backward pass of theirs.
  void AddReplicaStream(int stage, const Operations& computes) {
    Chain(Of(stage, {Kind::kParamsAllGather, Kind::kGradsReduceScatter}));
    Operations gathers = Of(stage, {Kind::kParamsAllGather});
    std::sort(gathers.begin(), gathers.end(),
              [](auto* a, auto* b) { return a->sequence > b->sequence; });
    std::set<int> chunks;
    for (const PipelineOperation* gather : gathers) {
      if (!chunks.insert(gather->chunk).second) continue;
      for (const PipelineOperation* compute : computes) {
        if (compute->kind != Kind::kForwardCompute ||
            compute->chunk != gather->chunk) {
          continue;
        }
        Need(*compute, *gather);
        break;
      }
    }
    if (Overlaps()) AddOverlappedScatters(stage, computes);
  }

  bool Overlaps() const {
    return std::any_of(all_.begin(), all_.end(), [](const auto* o) {
      return o->kind == Kind::kSeparateGradsAllReduce;
    });
  }

  Operations Scatters(int stage) const {
    Operations scatters = Of(stage, {Kind::kGradsReduceScatter});
    std::sort(scatters.begin(), scatters.end(),
              [](auto* a, auto* b) { return a->sequence < b->sequence; });
    return scatters;
  }

  void AddOverlappedScatters(int stage, const Operations& computes) {
    std::set<int> chunks;
    for (const PipelineOperation* scatter : Scatters(stage)) {
      if (!chunks.insert(scatter->chunk).second) continue;
      const PipelineOperation* last = nullptr;
      for (const PipelineOperation* compute : computes) {
        if (compute->kind == Kind::kBackwardCompute &&
            compute->chunk == scatter->chunk &&
            (last == nullptr || compute->end_s() > last->end_s())) {
          last = compute;
        }
      }
      if (last != nullptr) Need(*scatter, *last);
    }
  }

  // After the last pass: what the optimizer needs, one after another.
  void AddEnd(int stage, const Operations& computes) {
    const PipelineOperation* last = *std::max_element(
        computes.begin(), computes.end(),
        [](auto* a, auto* b) { return a->end_s() < b->end_s(); });
    std::vector<size_t> before = {Index(*last)};
    const auto then = [&](const Operations& next) {
      for (const PipelineOperation* operation : next) {
        std::vector<size_t>& needs = graph_.needs[Index(*operation)];
        needs.insert(needs.end(), before.begin(), before.end());
        before = {Index(*operation)};
      }
    };
    then(Of(stage, {Kind::kGarbageCollection}));
    const bool overlaps = replicated_ && Overlaps();
    if (overlaps) {
      const Operations scatters = Scatters(stage);
      if (!scatters.empty()) before.push_back(Index(*scatters.back()));
    }
    then(Of(stage, {Kind::kLayerNormGradsAllReduce}));
    then(Of(stage, {Kind::kEmbeddingGradsAllReduce}));
    if (overlaps) then(Of(stage, {Kind::kSeparateGradsAllReduce}));
    if (replicated_ && !overlaps) then(Scatters(stage));
    then(Of(stage, {Kind::kClipGrads}));
    then(Of(stage, {Kind::kOptimizer}));
  }

  // The nth message that a stage sends is the nth that the other receives.
  absl::Status PairMessages() {
    for (const auto& [key, sends] : crossing_) {
      const auto& [kind, stage] = key;
      const MessageSide side = SideOf(kind);
      const int peer = PeerOf(stage, side, graph_.stages);
      const auto found = crossing_.find({side.peer, peer});
      if (found == crossing_.end() || found->second.size() != sends.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("stage ", stage, " and stage ", peer,
                         " do not have as many messages for each other"));
      }
      if (!side.is_send) continue;
      for (size_t i = 0; i < sends.size(); ++i) {
        graph_.meetings.push_back({{sends[i], found->second[i]}, false, true});
        met_.insert({sends[i], found->second[i]});
      }
    }
    return absl::OkStatus();
  }

  void AddMeetings() {
    PipelineMeeting embedding = {{}, false, true};
    PipelineMeeting clip = {{}, true, true};
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      switch (graph_.nodes[i].kind) {
        case Kind::kEmbeddingGradsAllReduce:
          embedding.nodes.push_back(i);
          break;
        case Kind::kClipGrads: clip.nodes.push_back(i); break;
        case Kind::kParamsAllGather:
        case Kind::kGradsReduceScatter:
        case Kind::kSeparateGradsAllReduce:
          graph_.meetings.push_back({{i}, replicated_, replicated_});
          break;
        default:
          if (!met_.contains(i)) {
            graph_.meetings.push_back({{i}, false, false});
          }
      }
    }
    if (!embedding.nodes.empty()) graph_.meetings.push_back(embedding);
    if (!clip.nodes.empty()) graph_.meetings.push_back(clip);
  }

  absl::StatusOr<PipelineGraph> Ordered();

  const bool replicated_;
  int chunks_ = 1;
  Operations all_;  // by begin
  std::map<std::pair<Kind, int>, std::vector<size_t>> crossing_;
  std::set<size_t> met_;
  PipelineGraph graph_;
};

// Meetings in an order in which each comes after all that its nodes need.
absl::StatusOr<PipelineGraph> Builder::Ordered() {
  std::vector<size_t> meeting_of(graph_.nodes.size());
  for (size_t m = 0; m < graph_.meetings.size(); ++m) {
    for (const size_t node : graph_.meetings[m].nodes) meeting_of[node] = m;
  }
  std::vector<std::set<size_t>> after(graph_.meetings.size());
  std::vector<size_t> open(graph_.meetings.size());
  for (size_t node = 0; node < graph_.nodes.size(); ++node) {
    for (const size_t need : graph_.needs[node]) {
      if (after[meeting_of[need]].insert(meeting_of[node]).second) {
        ++open[meeting_of[node]];
      }
    }
  }
  std::vector<size_t> ready;
  for (size_t m = 0; m < open.size(); ++m) {
    if (open[m] == 0) ready.push_back(m);
  }
  std::vector<PipelineMeeting> ordered;
  while (!ready.empty()) {
    const size_t m = ready.back();
    ready.pop_back();
    ordered.push_back(graph_.meetings[m]);
    for (const size_t next : after[m]) {
      if (--open[next] == 0) ready.push_back(next);
    }
  }
  if (ordered.size() != graph_.meetings.size()) {
    return absl::InvalidArgumentError(
        "operations wait for each other in a circle");
  }
  graph_.meetings = std::move(ordered);
  return std::move(graph_);
}

}  // namespace

absl::StatusOr<PipelineGraph> MakePipelineGraph(
    const std::vector<PipelineOperation>& operations, bool replicated) {
  return Builder(operations, replicated).Build();
}

}  // namespace dltap::analyzer
