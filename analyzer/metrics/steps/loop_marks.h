// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_LOOP_MARKS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_LOOP_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_starts.h"
#include "analyzer/metrics/steps/request_kinds.h"

namespace dltap::analyzer {

// What passes of one loop have in common.
enum class AlikeIn : uint8_t { kKernels, kProducts };

// How a loop lies in another one, and whether more than their likeness says so.
struct Nesting {
  bool inner_is_step = false;
  bool may_be_other = false;  // the other one may be meant as well
};

// Judges calls that recur: whether what lies between them is one pass of a
// loop, and of which loop. Every question costs a pass over the tokens. Holds
// a reference to them.
class LoopMarks {
 public:
  explicit LoopMarks(const std::vector<CallToken>& tokens,
                     AlikeIn alike_in = AlikeIn::kKernels);

  // The positions of every signature, the rarest first.
  const std::vector<Positions>& by_count() const { return by_count_; }

  // The same of every call behind a certain other one.
  std::vector<Positions> PairsByCount() const;

  // Where requests of several kinds begin. Empty where there are none.
  const Positions& requests() const { return requests_.begins; }

  // Whether what `outer` marks are requests of some kinds among others, or what
  // some hold several times and others never, or parts of requests whose kinds
  // take turns. (What is asked about each input,
  // one model and then others as often as it takes, hardly ever is asked of the
  // first alone.)
  bool MarksSomeKinds(const Positions& outer) const;

  // Whether `marks` recur evenly over at least `coverage` of the run, with
  // alike calls between.
  bool IsLoop(const Positions& marks, double coverage) const;

  // Whether `inner` splits the passes of `outer` into steps, so that what
  // `outer` marks is an extra of some steps. They are no steps, but layers, if
  // any of them has other products than the rest, or if nothing but
  // their kernels' likeness speaks for it. No time decides but pauses that
  // nearly all passes make at one place.
  Nesting NestingOf(const Positions& outer, const Positions& inner) const;

  // Where the passes begin that `marks` lie in: at the edges that they have
  // (loop_starts.h); where they have none, where the first pass began.
  Positions StartsOf(const Positions& marks) const;

 private:
  struct Pass {
    size_t computing = 0;
    size_t products = 0;
    bool has_edge = false;  // copies from or to the host, waits, one replay
    bool takes_input = false;
    bool takes_new_input = false;  // no value, and not what was read before
    bool is_request = false;  // from the copy of an input to that of its result
    bool reads_rows = false;
  };

  std::vector<Pass> PassesOf(const Positions& marks) const;
  bool HaveEdges(const Positions& marks, const std::vector<Pass>& passes) const;
  bool PauseAtOnePlace(const Positions& marks) const;
  bool AreExits(const Positions& outer, const Positions& inner,
                const std::vector<Pass>& passes,
                const std::vector<Pass>& parts) const;
  bool IsExtraOfSome(const Positions& outer, const Positions& inner,
                     const std::vector<Pass>& parts) const;
  bool HaveEqualProducts(const Positions& outer, const Positions& inner,
                         const std::vector<Pass>& parts) const;
  bool HaveEqualSizes(const Positions& outer, const Positions& inner,
                      const std::vector<Pass>& parts) const;
  int64_t PauseBefore(size_t token) const;
  Positions EvenStartsOf(const Positions& marks) const;
  double ShareAlike(const Positions& marks) const;

  const std::vector<CallToken>& tokens_;
  const AlikeIn alike_in_;
  std::vector<Positions> by_count_;
  Requests requests_;
  std::vector<size_t> computing_;  // kernels started before each token
  size_t n_signatures_ = 0;
  bool any_product_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_LOOP_MARKS_H_
