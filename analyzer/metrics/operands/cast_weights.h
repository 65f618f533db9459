// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_CAST_WEIGHTS_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_CAST_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/metrics/operands/made_sizes.h"
#include "analyzer/metrics/operands/operand_touches.h"

namespace dltap::analyzer {

inline constexpr int kCastBits = 16;

// Weights of a pass forward by their bytes: as many as lie beside each other.
class PassWeights {
 public:
  void BeginStep();
  void EndStep();
  void EndPass() { of_pass_.clear(); }
  void Add(int64_t bytes, uint64_t address);

  // As many as `least` of the steps have in a pass.
  std::map<int64_t, size_t> InSteps(size_t least) const;

 private:
  std::map<int64_t, std::set<uint64_t>> of_pass_;  // addresses by bytes
  std::map<int64_t, size_t> most_;                 // of a pass of this step
  std::map<int64_t, std::vector<size_t>> by_step_;
};

// Of what a step casts from 32 bits to 16 what stands for weights: the next
// pass casts them again, maybe to other places. And the weights of graphs of
// cuDNN, cast or not, which have no places.
class CastWeights {
 public:
  explicit CastWeights(const std::vector<MadeTensor>& casts) : made_(casts) {}

  void BeginStep(int64_t ns);
  void EndStep();

  // In time. The operands that a call of the forward pass reads as weights, 16
  // bits wide, and that have the size of what was cast right before it.
  std::vector<Operand> Add(const Touch& touch);

  const PassWeights& casts() const { return casts_; }
  // Calls of graphs in a step: a pass may use the same weights again.
  const PassWeights& unplaced_casts() const { return unplaced_casts_; }
  const PassWeights& unplaced() const { return unplaced_; }

 private:
  void EndPass();
  bool AddIfCast(const Touch& touch, const Operand& operand,
                 std::vector<Operand>& casts);
  // When it was made, of the size of `operand` since the touch before.
  std::optional<int64_t> CastBefore(const Touch& touch,
                                    const Operand& operand) const;

  const std::vector<MadeTensor>& made_;
  size_t next_ = 0;  // the first that may be before the next product
  int64_t last_touch_ns_ = std::numeric_limits<int64_t>::min();  // of a library
  int64_t step_begin_ns_ = 0;
  // Cast before the step: what the last update casts may be the weights
  // themselves, unless the step casts others.
  std::vector<Operand> in_front_;
  // Of graphs, whose weights stand at such an address: no tensor lies there.
  uint64_t calls_ = 0;
  PassWeights casts_;
  PassWeights unplaced_casts_;
  PassWeights unplaced_;  // and not cast
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_CAST_WEIGHTS_H_
