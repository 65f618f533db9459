// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_LOSS_COUNTS_H_
#define DLTAP_ANALYZER_READER_LOSS_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/trace_model.h"
#include "analyzer/reader/loss_names.h"

namespace dltap::analyzer {

// Losses of one process: those that its trace counted, and those that the
// reader found. A record's count replaces what was there (Set), the reader's
// own are added (Add).
class LossCounts {
 public:
  void Set(trace::LossKind kind, uint64_t count) { counts_[kind] = count; }
  void Add(trace::LossKind kind, uint64_t count = 1) { counts_[kind] += count; }
  uint64_t of(trace::LossKind kind) const {
    const auto found = counts_.find(kind);
    return found == counts_.end() ? 0 : found->second;
  }

  // One row for each way to lose something, zeros included; and what a newer
  // writer lost in a way that this reader has no word for.
  std::vector<Loss> Rows() const {
    std::vector<Loss> rows;
    for (const LossName& loss : AllLosses()) {
      rows.push_back(
          {std::string(loss.key), std::string(loss.meaning), of(loss.kind)});
    }
    for (const auto& [kind, count] : counts_) {
      if (count == 0 || FindLoss(kind) != nullptr) continue;
      rows.push_back({"loss_" + std::to_string(static_cast<uint32_t>(kind)),
                      "losses of a kind that this version does not know",
                      count});
    }
    return rows;
  }

 private:
  std::map<trace::LossKind, uint64_t> counts_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_LOSS_COUNTS_H_
