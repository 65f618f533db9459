// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/cast_weights.h"

#include <algorithm>
#include <functional>

namespace dltap::analyzer {
namespace {

constexpr int kCastBits = 16;

bool MayBeWeight(const Touch& touch, const Operand& operand) {
  if (operand.bits != kCastBits) return false;
  return operand.use == OperandUse::kWeight ||
         (touch.is_product && operand.role == Meaning::kPointerA);
}

}  // namespace

// What the last update cast may be the weights themselves.
void CastWeights::BeginStep(int64_t ns) {
  last_touch_ns_ = std::max(last_touch_ns_, ns);
  of_pass_.clear();
  most_.clear();
}

void CastWeights::EndStep() {
  for (const auto& [bytes, n] : most_) by_step_[bytes].push_back(n);
}

std::vector<const Operand*> CastWeights::Add(const Touch& touch) {
  const auto is_of_library = [](const Operand& operand) {
    return operand.bits != 0;
  };
  if (!std::ranges::any_of(touch.operands, is_of_library)) return {};
  while (next_ < casts_.size() && casts_[next_].made_ns < last_touch_ns_) {
    ++next_;
  }
  last_touch_ns_ = touch.begin_ns;
  if (touch.pass == Pass::kBackward) of_pass_.clear();
  if (touch.pass != Pass::kForward) return {};
  std::vector<const Operand*> casts;
  for (const Operand& operand : touch.operands) {
    if (!MayBeWeight(touch, operand) || !IsCastBefore(touch, operand)) continue;
    casts.push_back(&operand);
    std::set<uint64_t>& of_size = of_pass_[operand.bytes];
    of_size.insert(operand.address);
    size_t& most = most_[operand.bytes];
    most = std::max(most, of_size.size());
  }
  return casts;
}

std::map<int64_t, size_t> CastWeights::InSteps(size_t least) const {
  std::map<int64_t, size_t> out;
  for (const auto& [bytes, by_step] : by_step_) {
    if (least == 0 || by_step.size() < least) continue;
    std::vector<size_t> counts = by_step;
    std::ranges::sort(counts, std::greater<>());
    out[bytes] = counts[least - 1];
  }
  return out;
}

bool CastWeights::IsCastBefore(const Touch& touch,
                               const Operand& operand) const {
  for (size_t i = next_; i < casts_.size(); ++i) {
    const MadeTensor& cast = casts_[i];
    if (cast.made_ns >= touch.begin_ns) return false;
    if (cast.MayHave(operand.bytes)) return true;
  }
  return false;
}

}  // namespace dltap::analyzer
