// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_BACKWARD_MATCH_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_BACKWARD_MATCH_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/layers/backward_scores.h"
#include "analyzer/metrics/layers/history_match.h"
#include "analyzer/metrics/layers/layer_match.h"
#include "analyzer/metrics/layers/layer_units.h"
#include "analyzer/metrics/steps/range_facts.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Which forward operation a backward one is of.
struct BackwardMatch {
  uint32_t forward = kNoUnit;
  LayerMatch by = LayerMatch::kNone;
  bool recomputes = false;
  bool is_glue = false;  // beside what the unit finder says
};

// How much of what must have a forward operation is without one.
enum class LeftOpen : uint8_t { kNothing, kLittle, kMuch };

// Matches backward passes with the forward operations before them. Autograd's
// number of the node, where a trace has it, or a shared address of operands,
// decides. The rest is aligned in reverse order, class by class; a sum or an
// addition without a counterpart belongs to what ran before it. Holds
// references.
class BackwardMatcher {
 public:
  BackwardMatcher(const TraceModel& model, const Process& process,
                  const ProcessAttribution& attribution,
                  const std::vector<LayerUnit>& units)
      : model_(model),
        process_(process),
        attribution_(attribution),
        units_(units),
        scores_(attribution, units),
        history_(units, scores_),
        ranges_(model, process) {}

  // `forward` in the order of the pass; `backward` is one pass, with what it
  // recomputes. One result per element of `backward`.
  std::vector<BackwardMatch> Match(const std::vector<uint32_t>& forward,
                                   const std::vector<uint32_t>& backward);

  LeftOpen WhatIsOpen(const std::vector<uint32_t>& backward,
                      const std::vector<BackwardMatch>& found) const;
  // The same for a pass that Match() has `found` too little for, with all units
  // of the step before it: its graph was kept from a pass before, or it is the
  // gradient of gradients. Results are then backward units, too.
  // `layer_of`: by unit.
  std::vector<BackwardMatch> MatchInStep(const std::vector<uint32_t>& history,
                                         const std::vector<uint32_t>& backward,
                                         const std::vector<uint32_t>& layer_of,
                                         LeftOpen open,
                                         std::vector<BackwardMatch> found);

 private:
  using Key = std::vector<uint64_t>;
  using Units = std::vector<uint32_t>;

  void MatchRecompute(const std::vector<uint32_t>& forward,
                      const std::vector<uint32_t>& backward,
                      std::vector<BackwardMatch>& out) const;
  void MatchBySequence(const std::vector<uint32_t>& forward,
                       const std::vector<uint32_t>& backward,
                       std::vector<BackwardMatch>& out);
  RangeId NodeOf(const LayerUnit& unit);
  Units OfOneNode(const std::vector<uint32_t>& forward, uint32_t owner);
  bool MayBeOfNode(uint32_t backward, uint32_t forward) const;
  void MatchByAddress(const std::vector<uint32_t>& forward,
                      const std::vector<uint32_t>& backward,
                      std::vector<BackwardMatch>& out) const;
  uint32_t HalfKnownProduct(
      const std::vector<uint32_t>& forward, uint32_t gradient, size_t at,
      const absl::flat_hash_map<uint32_t, Units>& known) const;
  void MatchOtherGradients(const std::vector<uint32_t>& forward,
                           const std::vector<uint32_t>& backward,
                           std::vector<BackwardMatch>& out) const;
  void MatchByOrder(const std::vector<uint32_t>& forward,
                    const std::vector<uint32_t>& backward,
                    std::vector<BackwardMatch>& out);
  void AttachMoves(const std::vector<uint32_t>& backward,
                   std::vector<BackwardMatch>& out) const;
  void AttachRest(const std::vector<uint32_t>& backward,
                  std::vector<BackwardMatch>& out) const;
  Key KeyOf(const std::vector<uint32_t>& forward,
            const std::vector<uint32_t>& backward,
            const std::vector<size_t>& known) const;

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::vector<LayerUnit>& units_;
  const BackwardScores scores_;
  HistoryMatcher history_;
  RangeFacts ranges_;
  absl::flat_hash_map<Key, std::vector<size_t>> aligned_;
  // Backward units of a node that several forward ones made: these, with the
  // one that stands for all in front.
  absl::flat_hash_map<uint32_t, Units> of_node_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_BACKWARD_MATCH_H_
