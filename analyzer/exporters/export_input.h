// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_EXPORT_INPUT_H_
#define DLTAP_ANALYZER_EXPORTERS_EXPORT_INPUT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/attribution/base/api_name.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/collectives/collective_run.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

struct ProcessAccount;  // process_account.h

// Gets a file in pieces, in order.
using ByteSink = std::function<void(std::string_view)>;

// A trace as exporters take it: what is attributed, the steps that were found,
// and what of all that is wanted. Ids keep their meaning whatever is wanted.
struct ExportInput {
  const TraceModel& model;
  const Attribution& attribution;
  Selection selection = {};
  std::vector<Steps> steps;  // one per process, used or not
  CollectiveRuns collectives;
  std::optional<size_t> only_process = {};  // of the tables; none: all
  // Of that process, for the tables of a data set.
  const ProcessAccount* account = nullptr;
  int64_t zero_ns = 0;  // added to what the tables say of times

  bool WantsProcess(size_t p) const {
    return !only_process || *only_process == p;
  }
  int64_t At(int64_t ns) const { return zero_ns + ns; }
  // By the selected window: what reaches into it is wanted whole.
  bool Wants(int64_t begin_ns, int64_t end_ns) const {
    return !selection.window || (begin_ns < selection.window->end_ns &&
                                 end_ns > selection.window->begin_ns);
  }
  template <typename Event>
  bool Wants(const Event& event) const {
    return Wants(event.begin_ns, event.end_ns);
  }
  // By window and device.
  bool Wants(const Process& process, const Activity& activity) const;
};

// Finds the steps of `model`, whose processes are those that are wanted.
ExportInput MakeExportInput(const TraceModel& model,
                            const Attribution& attribution,
                            const Selection& selection);

// The name of an activity as PyTorch's profiler and CUPTI's tools write it:
// "Memcpy HtoD (Pageable -> Device)", and kernels without mangling.
std::string ActivityName(const TraceModel& model, const Activity& activity);

// "kernel", "memcpy", "memset".
std::string_view Name(ActivityKind kind);

// "cublas"; as the trace says, else as our specs do.
std::string_view LibraryOf(const EntryPoint& entry);

// Whose call it is: "cuda_runtime", "cuda_driver" (or those of another maker's
// GPU), or nothing for the libraries above them.
std::string_view ApiCategory(const EntryPoint& entry);

// Steps as the markers that other tools know: "ProfilerStep#3"; those that are
// left out are no such, as with a profiler that is off: "warm_up step 0".
struct StepMark {
  std::string name;
  int64_t begin_ns;
  int64_t end_ns;
  ThreadId thread;  // that runs the loop
};

// None of a program that marks its steps so itself.
std::vector<StepMark> StepMarks(const ExportInput& input, size_t p);

// "GPU 0 NVIDIA H100 80GB HBM3", with " (simulated)" where it is.
std::string DeviceLabel(const Device& device);

// "rank 3", or "host:pid".
std::string ProcessLabel(const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_EXPORT_INPUT_H_
