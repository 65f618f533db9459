// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_LOSS_NAMES_H_
#define DLTAP_ANALYZER_READER_LOSS_NAMES_H_

#include <span>
#include <string_view>

#include "shim/trace/losses.h"

namespace dltap::analyzer {

struct LossName {
  trace::LossKind kind;
  std::string_view key;
  std::string_view meaning;
};

// In the order of losses.h.
std::span<const LossName> AllLosses();
const LossName* FindLoss(std::string_view key);  // nullptr: unknown
const LossName* FindLoss(trace::LossKind kind);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_LOSS_NAMES_H_
