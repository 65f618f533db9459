// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_WRITTEN_SPANS_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_WRITTEN_SPANS_H_

#include <cstdint>
#include <map>
#include <utility>

namespace dltap::analyzer {

using Place = std::pair<uint64_t, int64_t>;  // address, bytes

// What is written, as spans that touch nowhere.
class WrittenSpans {
 public:
  void Add(Place place);
  void Clear() { spans_.clear(); }
  // Whether any byte of it was.
  bool Has(Place place) const;

 private:
  std::map<uint64_t, uint64_t> spans_;  // begin, end
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_WRITTEN_SPANS_H_
