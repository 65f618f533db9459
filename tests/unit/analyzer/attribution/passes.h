// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_ANALYZER_ATTRIBUTION_PASSES_H_
#define DLTAP_TESTS_UNIT_ANALYZER_ATTRIBUTION_PASSES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {

// What PyTorch's main thread and its autograd thread launch, one kernel after
// the other, and what attribution makes of it.
class Passes {
 public:
  Passes& Forward(const std::string& name, int blocks = 8) {
    return Add(0, name, blocks);
  }
  Passes& Backward(const std::string& name, int blocks = 8) {
    return Add(1, name, blocks);
  }
  // The gradient of a clamp.
  Passes& SelectionBackward() {
    return Backward("compare_scalar_kernel").Backward("where_kernel_impl");
  }

  Attribution Attributed() const {
    return Attribute(
        TraceFromText("device 0 name=gpu\nthread 0 tid=1 name=python\n"
                      "thread 1 tid=2 name=pt_autograd_0\n" +
                      text_));
  }
  // Of the kernels of that name, in order.
  std::vector<LayerClass> ClassesOf(std::string_view name) const {
    const Attribution attribution = Attributed();
    std::vector<LayerClass> classes;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != name) continue;
      classes.push_back(attribution.processes[0].activities[i].layer_class);
    }
    return classes;
  }

 private:
  Passes& Add(int thread, const std::string& name, int blocks) {
    const size_t at = 10 * (names_.size() + 1);
    absl::StrAppend(&text_, "call t=", at, "..", at + 2, "us thread=", thread,
                    " cudaLaunchKernel launches=", name, "\nlaunchapi t=", at,
                    "..", at + 1, "us thread=", thread, " corr=", at,
                    "\nkernel t=", at + 3, "..", at + 4,
                    "us device=0 corr=", at, " grid=", blocks,
                    ",1,1 block=128,1,1 name=", name, "\n");
    names_.push_back(name);
    return *this;
  }

  std::string text_;
  std::vector<std::string> names_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_UNIT_ANALYZER_ATTRIBUTION_PASSES_H_
