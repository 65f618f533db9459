// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/loss_names.h"

namespace dltap::analyzer {
namespace {

constexpr LossName kLosses[] = {
#define X(id, number, key, meaning) {trace::LossKind::id, key, meaning},
    DLTAP_LOSSES(X)
#undef X
};

}  // namespace

std::span<const LossName> AllLosses() { return kLosses; }

const LossName* FindLoss(std::string_view key) {
  for (const LossName& loss : kLosses) {
    if (loss.key == key) return &loss;
  }
  return nullptr;
}

const LossName* FindLoss(trace::LossKind kind) {
  for (const LossName& loss : kLosses) {
    if (loss.kind == kind) return &loss;
  }
  return nullptr;
}

}  // namespace dltap::analyzer
