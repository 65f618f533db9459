// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/join/launch_order.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr size_t kMaxSkip = 256;     // launches lost in one place, at most
constexpr size_t kAgreementRun = 4;  // launches in a row that prove a place

class OrderMatcher {
 public:
  OrderMatcher(const std::vector<LaunchSighting>& records,
               const std::vector<LaunchSighting>& calls, int64_t tolerance_ns)
      : records_(records), calls_(calls), tolerance_ns_(tolerance_ns) {}

  std::vector<LaunchMatch> Run() {
    std::vector<LaunchMatch> matches;
    matches.reserve(std::min(records_.size(), calls_.size()));
    size_t r = 0;
    size_t c = 0;
    while (r < records_.size() && c < calls_.size()) {
      if (Agree(r, c)) {
        matches.push_back({records_[r++].index, calls_[c++].index});
      } else if (!Realign(r, c)) {
        // No place near by agrees: drop the older side and go on.
        records_[r].begin_ns < calls_[c].begin_ns ? ++r : ++c;
      }
    }
    return matches;
  }

 private:
  static bool Holds(const LaunchSighting& call, const LaunchSighting& record) {
    return record.end_ns != 0 && call.begin_ns <= record.begin_ns &&
           record.end_ns <= call.end_ns;
  }

  bool Agree(size_t r, size_t c) const {
    const LaunchSighting& record = records_[r];
    const LaunchSighting& call = calls_[c];
    // A thread may lose its processor between our wrapper and the library.
    const int64_t latest_ns = std::max(call.begin_ns, call.end_ns);
    if (record.begin_ns < call.begin_ns - tolerance_ns_ ||
        record.begin_ns > latest_ns + tolerance_ns_) {
      return false;
    }
    if (Holds(call, record)) return true;
    return !record.kernel.known() || !call.kernel.known() ||
           record.kernel == call.kernel;
  }

  bool AgreeForARun(size_t r, size_t c) const {
    for (size_t i = 0; i < kAgreementRun; ++i) {
      if (r + i >= records_.size() || c + i >= calls_.size()) return i > 0;
      if (!Agree(r + i, c + i)) return false;
    }
    return true;
  }

  // Moves to the nearest agreeing place, fewest launches skipped first.
  bool Realign(size_t& r, size_t& c) const {
    for (size_t skipped = 1; skipped <= kMaxSkip; ++skipped) {
      for (size_t records = 0; records <= skipped; ++records) {
        const size_t calls = skipped - records;
        if (records != 0 && calls != 0 && skipped > 8) continue;
        if (AgreeForARun(r + records, c + calls)) {
          r += records;
          c += calls;
          return true;
        }
      }
    }
    return false;
  }

  const std::vector<LaunchSighting>& records_;
  const std::vector<LaunchSighting>& calls_;
  const int64_t tolerance_ns_;
};

}  // namespace

std::vector<LaunchMatch> MatchInOrder(
    const std::vector<LaunchSighting>& records,
    const std::vector<LaunchSighting>& calls, int64_t tolerance_ns) {
  return OrderMatcher(records, calls, tolerance_ns).Run();
}

}  // namespace dltap::analyzer
