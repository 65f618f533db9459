// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_ADVICE_H_
#define DLTAP_ANALYZER_ADVICE_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/idle/phases.h"
#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// Where an estimate comes from: times of this trace alone, or also what the
// table of GPUs or a model says of other ways to do the same.
enum class GainBasis : uint8_t { kMeasured, kModel };
std::string_view Name(GainBasis basis);

// Time of a step that an advice would save from: idle time of a cause, GPU
// time of a class. Two that meet may be after the same nanoseconds.
class Claims {
 public:
  Claims() = default;
  Claims& With(IdleCause cause) { return Set(static_cast<size_t>(cause)); }
  Claims& With(LayerClass layer_class) {
    return Set(kIdleCauses + static_cast<size_t>(layer_class));
  }
  bool Meets(const Claims& other) const { return (bits_ & other.bits_) != 0; }

 private:
  Claims& Set(size_t bit) {
    bits_ |= uint64_t{1} << bit;
    return *this;
  }
  uint64_t bits_ = 0;
};
static_assert(kIdleCauses + kClassCount <= 64, "Claims");

// What the trace shows. Numbers are of a step.
struct Evidence {
  double count = 0;  // of what the rule looks for: copies, kernels, calls
  double ns = 0;     // its time
  std::optional<double> share;     // of the step
  std::vector<std::string> calls;  // API functions
  std::vector<std::string> ops;    // operations or kernels
  uint64_t steps_seen = 0;         // used steps that show it
  uint64_t steps = 0;              // out of so many; set by the judge
};

struct Advice {
  std::string_view id;     // of its rule
  std::string act;         // what to try
  std::string why;         // the evidence, in few words
  std::string_view after;  // a rule whose advice, if given, comes before it
  std::optional<LayerClass> layer_class;
  std::optional<Phase> phase;
  std::optional<ProcessKey> process;  // whose; nullopt: the program's
  Evidence evidence;
  // Of a step, 0 <= low <= gain <= high. A rule that knows no better leaves the
  // gain at 0: it becomes the middle of both.
  double gain_ns = 0;
  double gain_low_ns = 0;
  double gain_high_ns = 0;
  GainBasis basis = GainBasis::kMeasured;
  Claims claims;
  double claimed_ns = 0;  // all time of a step that `claims` stands for
  // Set by the judge.
  double gain_share = 0;  // of the step, as the next two
  double gain_low_share = 0;
  double gain_high_share = 0;
  bool more = false;  // what it saves beside those above it
};

struct HeldBack {
  Advice advice;
  std::string reason;
};

struct AdviceList {
  std::vector<Advice> given;  // three at most, the surest gain first
  std::vector<HeldBack> held_back;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_ADVICE_H_
