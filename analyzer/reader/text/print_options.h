// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_PRINT_OPTIONS_H_
#define DLTAP_ANALYZER_READER_TEXT_PRINT_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <string_view>

namespace dltap::analyzer {

struct PrintOptions {
  // Leaves out what differs between equal runs (pids, hosts, thread ids,
  // samples, overhead) and numbers addresses, correlations and threads by
  // first use.
  bool canonical = false;
  // Events per process; the rest is a comment that says how many.
  uint64_t limit = std::numeric_limits<uint64_t>::max();
};

// Takes the text in pieces of whole lines; a piece lives during the call only.
// False: no more is wanted, and no further piece comes.
using TextSink = bool (*)(std::string_view piece, void* context);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_PRINT_OPTIONS_H_
