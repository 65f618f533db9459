// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_PASSES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_PASSES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/attribution/xla/tape_scopes.h"
#include "analyzer/attribution/xla/xla_origin.h"
#include "analyzer/model/layer_class.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The pass that JAX tells in the paths which XLA gives its operations, such as
// "jit(step)/transpose(jvp())/dot_general". They are in the detail of its NVTX
// ranges (xla_origin.h), and short in their names, without a detail all there
// is: "Thunk:#name=jit(step)/transpose(jvp()),hlo_op=...#". There a path is
// what the operations of a fusion have in common: "jit(step)" alone may be of
// any pass, or of several, and so may "jit(step)/while/body" where other paths
// go on behind it. What differentiation left alone is of no pass by its path: a
// batch that is prepared, or an update (xla_runs.h); it is an update in a
// fusion that takes up a gradient, unless it only adds: then it sums gradients
// up. TensorFlow
// has paths of its own (tape_scopes.h), in XLA's ranges and in those of the
// operations that it runs by itself. Holds references.
class XlaPasses {
 public:
  XlaPasses(const TraceModel& model, const Process& process,
            const RangeIndex& ranges);

  // kForward, kBackward, kRecompute or kUpdate; kNone: `range` is no such
  // range, or does not tell.
  Direction Of(RangeId range) const;

  // The direction of a library's call in `range`, of which the call tells
  // `by_call`. Where a tape names all gradients, a convolution that it does not
  // name is a transposed one.
  Direction DirectionOfCall(RangeId range, Direction by_call) const;

  // Whether a fusion does more than move elements; false: it is not known.
  bool Computes(RangeId range) const;

  // What XLA tells of an instruction beside its name; null: nothing.
  const XlaOrigin* OriginOf(RangeId range) const;

  // Where a thread is: in a run of a module (none: in none of XLA's), and in
  // which range; whether its path is one of JAX's, was not differentiated, or
  // is there at all.
  struct Place {
    RangeId run;
    RangeId range;
    bool has_path;
    bool is_plain;
    bool is_silent;
    bool only_adds;  // what was not differentiated of it; false: not known
  };
  Place PlaceAt(ThreadId thread, int64_t at_ns) const;

  // Whether there are ranges of XLA that have paths.
  bool any() const { return is_xla_; }
  // Whether anything in the program was, maybe in another part of the run.
  bool differentiates() const { return differentiates_; }
  // Whether there are paths, and nothing was differentiated.
  bool all_forward() const {
    return any() && !differentiates_ && !transposes_products_;
  }

 private:
  enum class Pass : uint8_t {
    kNoPath,
    kForward,
    kBackward,
    kRecompute,
    kPlain,  // not differentiated
    kUpdate,
    kCommon  // ends before that shows
  };
  // Whether TensorFlow runs graphs, and no gradient in any.
  bool only_infers() const { return !operations_.empty() && !scopes_.any(); }
  Pass PassOf(TextId text, TextId detail) const;
  Pass PassOf(const GraphOperation& operation) const;
  Pass PassOf(const XlaOrigin& origin) const;
  Pass PassOfPath(std::string_view path) const;
  bool OnlyAdds(const XlaOrigin& origin) const;
  void Learn(const Range& range);
  void LearnOperation(const Range& range);
  void LearnTexts();
  TextId DetailOf(const Range& range) const;
  void AddParents(std::string_view path);
  RangeId RunOf(RangeId range) const;
  bool AnyTextDifferentiates() const;
  bool TransposesProducts() const;

  const TraceModel& model_;
  const Process& process_;
  const RangeIndex& ranges_;
  std::set<std::string, std::less<>> parents_;  // what other paths begin with
  TapeScopes scopes_;
  absl::flat_hash_set<TextId> operations_;  // names of ranges of TensorFlow's
  bool is_xla_ = false;
  bool any_origin_ = false;  // a name or a detail has a path
  // The one that all have who have any.
  class OnlyDetail {
   public:
    void Add(TextId detail) {
      several_ |= detail_.known() && detail_ != detail;
      detail_ = detail;
    }
    TextId Get() const { return several_ ? TextId() : detail_; }

   private:
    TextId detail_;
    bool several_ = false;
  };
  absl::flat_hash_map<TextId, OnlyDetail> only_details_;  // by range's name
  absl::flat_hash_map<TextId, XlaOrigin> origins_;        // by detail
  std::vector<Pass> passes_;  // by range; empty: no range is of XLA
  bool differentiates_ = false;
  // Without jit, operations run one by one, and no path tells passes. The
  // gradient of a product's weights is a product and its transposition.
  bool transposes_products_ = false;
};

// A gradient may be computed as a convolution forward, and the reverse; which
// gradient it is, the call tells.
Direction SettledDirection(Direction by_path, Direction by_call);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_PASSES_H_
