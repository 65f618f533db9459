// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_RUN_H_
#define DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_RUN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/attribution/xla/xla_passes.h"
#include "analyzer/model/strong_id.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// One activity of a run of XLA, as far as ranges, its name and its launch tell.
struct XlaWork {
  size_t activity;  // index
  Direction told;   // kNone: open
  TextId thunk;     // the text of its range, the same for each time it runs
  bool is_product;
  bool is_layer;      // layers compute it; IsOfALayer
  bool is_over_rows;  // a fusion that reduces rows and goes over them again
  bool is_scatter;
  bool is_sum;  // neither moves nor maps elements
  bool is_elementwise;
  bool only_moves;
  uint64_t family;  // fusions of one family write by the same operations
  // By its name, among what it writes.
  bool makes_sum;
  bool makes_difference;
  bool has_path;   // of JAX's
  bool is_plain;   // has one that was not differentiated
  bool only_adds;  // and does no more than add
  bool is_silent;  // no range tells anything of it
  bool one_block;  // may be factors, such as the powers of an optimizer's decay
  bool one_number;  // one thread
  uint64_t threads;
};

// What one run of a module gave the device, in the order of submission, or one
// copy to it outside of any.
struct XlaRun {
  std::vector<XlaWork> works;
  TextId module;  // the text of its range
  // An input, or random numbers.
  bool begins_batch = false;
};

// The runs of modules of `process` and the inputs between them, in the order of
// their first work.
std::vector<XlaRun> XlaRuns(const TraceModel& model, const Process& process,
                            const XlaPasses& xla_passes,
                            const std::vector<Submission>& order,
                            const ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_RUN_H_
