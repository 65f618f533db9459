// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/cast_weights.h"

#include <algorithm>
#include <functional>

namespace dltap::analyzer {
namespace {

bool MayBeWeight(const Touch& touch, const Operand& operand) {
  if (operand.bits != kCastBits) return false;
  return operand.use == OperandUse::kWeight ||
         (touch.is_product && operand.role == Meaning::kPointerA);
}

}  // namespace

void PassWeights::BeginStep() {
  of_pass_.clear();
  most_.clear();
}

void PassWeights::EndStep() {
  for (const auto& [bytes, n] : most_) by_step_[bytes].push_back(n);
}

void PassWeights::Add(int64_t bytes, uint64_t address) {
  std::set<uint64_t>& of_size = of_pass_[bytes];
  of_size.insert(address);
  size_t& most = most_[bytes];
  most = std::max(most, of_size.size());
}

std::map<int64_t, size_t> PassWeights::InSteps(size_t least) const {
  std::map<int64_t, size_t> out;
  for (const auto& [bytes, by_step] : by_step_) {
    if (least == 0 || by_step.size() < least) continue;
    std::vector<size_t> counts = by_step;
    std::ranges::sort(counts, std::greater<>());
    out[bytes] = counts[least - 1];
  }
  return out;
}

void CastWeights::BeginStep(int64_t ns) {
  step_begin_ns_ = ns;
  in_front_.clear();
  casts_.BeginStep();
  unplaced_casts_.BeginStep();
  unplaced_.BeginStep();
}

void CastWeights::EndPass() {
  for (const Operand& weights : in_front_) {
    if (weights.address <= calls_) {
      unplaced_.Add(weights.bytes, weights.address);
    }
  }
  in_front_.clear();
  casts_.EndPass();
}

void CastWeights::EndStep() {
  EndPass();
  casts_.EndStep();
  unplaced_casts_.EndStep();
  unplaced_.EndStep();
}

std::vector<Operand> CastWeights::Add(const Touch& touch) {
  const auto is_of_library = [](const Operand& operand) {
    return operand.bits != 0;
  };
  if (!touch.unplaced && !std::ranges::any_of(touch.operands, is_of_library)) {
    return {};
  }
  while (next_ < made_.size() && made_[next_].made_ns < last_touch_ns_) {
    ++next_;
  }
  last_touch_ns_ = touch.begin_ns;
  if (touch.pass == Pass::kBackward) EndPass();
  if (touch.pass != Pass::kForward) return {};
  std::vector<Operand> casts;
  for (const Operand& operand : touch.operands) {
    if (MayBeWeight(touch, operand)) AddIfCast(touch, operand, casts);
  }
  if (touch.unplaced && touch.unplaced->use == OperandUse::kWeight) {
    Operand weights = *touch.unplaced;
    weights.address = ++calls_;
    if (!AddIfCast(touch, weights, casts)) {
      unplaced_.Add(weights.bytes, weights.address);
    }
  }
  for (const Operand& cast : casts) {
    const bool is_placed = cast.address > calls_;
    (is_placed ? casts_ : unplaced_casts_).Add(cast.bytes, cast.address);
  }
  return casts;
}

bool CastWeights::AddIfCast(const Touch& touch, const Operand& operand,
                            std::vector<Operand>& casts) {
  const std::optional<int64_t> made_ns = CastBefore(touch, operand);
  if (operand.bits != kCastBits || !made_ns) return false;
  if (*made_ns < step_begin_ns_) {
    in_front_.push_back(operand);
    return true;
  }
  casts.push_back(operand);
  casts.insert(casts.end(), in_front_.begin(), in_front_.end());
  in_front_.clear();
  return true;
}

std::optional<int64_t> CastWeights::CastBefore(const Touch& touch,
                                               const Operand& operand) const {
  std::optional<int64_t> made_ns;
  for (size_t i = next_; i < made_.size(); ++i) {
    const MadeTensor& cast = made_[i];
    if (cast.made_ns >= touch.begin_ns) break;
    if (cast.MayHave(operand.bytes)) made_ns = cast.made_ns;
  }
  return made_ns;
}

}  // namespace dltap::analyzer
