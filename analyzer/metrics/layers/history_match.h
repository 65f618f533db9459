// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_HISTORY_MATCH_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_HISTORY_MATCH_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/layers/backward_scores.h"
#include "analyzer/metrics/layers/layer_unit.h"

namespace dltap::analyzer {

// Aligns a backward pass with all that a step did before it, the latest first:
// with forward passes that had one before, and with gradients, of which it
// takes gradients. Holds references.
class HistoryMatcher {
 public:
  HistoryMatcher(const std::vector<LayerUnit>& units,
                 const BackwardScores& scores)
      : units_(units), scores_(scores) {}

  // Units, in the order of the step. `layer_of`: by unit, kNoLayer if none.
  // `known`: per element of `backward`, its layer if that is known. Returns the
  // unit in `history` for each, or kNoUnit.
  std::vector<uint32_t> Match(const std::vector<uint32_t>& history,
                              const std::vector<uint32_t>& backward,
                              const std::vector<uint32_t>& layer_of,
                              const std::vector<uint32_t>& known);

 private:
  using Key = std::vector<uint64_t>;

  Key KeyOf(const std::vector<uint32_t>& from,
            const std::vector<uint32_t>& backward,
            const std::vector<uint32_t>& layer_of,
            const std::vector<uint32_t>& known) const;
  std::vector<uint32_t> Sources(const std::vector<uint32_t>& history,
                                size_t most,
                                const std::vector<uint32_t>& layer_of) const;
  std::vector<size_t> AlignAll(const std::vector<uint32_t>& from,
                               const std::vector<uint32_t>& backward,
                               const std::vector<uint32_t>& layer_of,
                               const std::vector<uint32_t>& known) const;
  int ScoreOf(uint32_t backward, uint32_t from) const;
  bool IsOfGradient(uint32_t backward, uint32_t from) const;

  const std::vector<LayerUnit>& units_;
  const BackwardScores& scores_;
  absl::flat_hash_map<Key, std::vector<size_t>> aligned_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_HISTORY_MATCH_H_
