// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_LANES_H_
#define DLTAP_ANALYZER_EXPORTERS_LANES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace dltap::analyzer {

// Spreads spans over as few lanes as a greedy choice finds, so that those of a
// lane nest: viewers draw spans that overlap otherwise one over the other.
class Lanes {
 public:
  using Close = std::function<void(size_t lane, int64_t at_ns)>;

  // `close` gets the end of each span, in the order in which a lane's spans
  // end.
  explicit Lanes(Close close) : close_(std::move(close)) {}

  // The lane of a span. Spans come by their begins; of equal ones the longest
  // first.
  size_t Open(int64_t begin_ns, int64_t end_ns) {
    for (size_t lane = 0; lane < ends_.size(); ++lane) {
      CloseUntil(lane, begin_ns);
      std::vector<int64_t>& ends = ends_[lane];
      if (!ends.empty() && ends.back() < end_ns) continue;
      ends.push_back(end_ns);
      return lane;
    }
    ends_.push_back({end_ns});
    return ends_.size() - 1;
  }

  void CloseAll() {
    for (size_t lane = 0; lane < ends_.size(); ++lane) {
      while (!ends_[lane].empty()) Pop(lane);
    }
  }

 private:
  void CloseUntil(size_t lane, int64_t at_ns) {
    while (!ends_[lane].empty() && ends_[lane].back() <= at_ns) Pop(lane);
  }

  void Pop(size_t lane) {
    close_(lane, ends_[lane].back());
    ends_[lane].pop_back();
  }

  Close close_;
  std::vector<std::vector<int64_t>> ends_;  // of each lane's open spans
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_LANES_H_
