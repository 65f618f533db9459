// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_FRAMES_TEXT_H_
#define DLTAP_ANALYZER_EXPORTERS_FRAMES_TEXT_H_

#include <string>

#include "analyzer/model/trace_model.h"

// What a look at a thread's Python frames found, as viewers show it.
namespace dltap::analyzer {

struct FramesText {
  std::string place;  // as the report names it; "unknown code"
  std::string stack;  // "collate (train.py:7)", a line each, innermost first
};
FramesText TextOf(const TraceModel& model, const FramesSeen& seen);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_FRAMES_TEXT_H_
