// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_THREAD_SPANS_H_
#define DLTAP_ANALYZER_EXPORTERS_THREAD_SPANS_H_

#include <cstdint>
#include <vector>

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// A call or a range of a host thread.
struct ThreadSpan {
  int64_t begin_ns;
  int64_t end_ns;
  CallId call;
  RangeId range;
};

// What is wanted of one thread, by begin; what holds something stands before
// it.
std::vector<ThreadSpan> ThreadSpansOf(const ExportInput& input,
                                      const Process& process, ThreadId thread);

// Its name, and of calls the library, of ranges the kind.
std::string_view NameOf(const TraceModel& model, const Process& process,
                        const ThreadSpan& span);
std::string_view CategoryOf(const TraceModel& model, const Process& process,
                            const ThreadSpan& span);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_THREAD_SPANS_H_
