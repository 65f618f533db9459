// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_CLASSES_TALLIES_H_
#define DLTAP_ANALYZER_METRICS_CLASSES_TALLIES_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/base/op_name.h"
#include "analyzer/metrics/idle/call_sites.h"
#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

struct ApiSums {
  uint64_t calls = 0;  // outermost ones
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;  // of what they submitted

  auto operator<=>(const ApiSums&) const = default;
};

struct KernelSums {
  uint64_t count = 0;
  int64_t gpu_ns = 0;
  Efficiency efficiency;

  auto operator<=>(const KernelSums&) const = default;
};

// What a kernel has of an op.
struct OpKernelSums {
  uint64_t count = 0;
  int64_t gpu_ns = 0;

  auto operator<=>(const OpKernelSums&) const = default;
};

struct OpSums {
  uint64_t count = 0;
  int64_t gpu_ns = 0;
  Efficiency efficiency;
  std::map<std::string, OpKernelSums> kernels;  // by name; sum to gpu_ns

  auto operator<=>(const OpSums&) const = default;
};

// A kernel whose name tells one class while its call or operator tells another.
struct Conflict {
  std::string kernel;  // demangled
  LayerClass by_name;
  LayerClass by_origin;
  ClassFrom from;
  std::string origin;  // the call's or the operator's name

  auto operator<=>(const Conflict&) const = default;
};

struct ConflictSums {
  uint64_t count = 0;
  int64_t gpu_ns = 0;

  auto operator<=>(const ConflictSums&) const = default;
};

struct SiteSums {
  uint64_t calls = 0;    // outermost ones
  uint64_t kernels = 0;  // kernels and copies
  int64_t gpu_ns = 0;

  auto operator<=>(const SiteSums&) const = default;
};
using SiteKey = std::pair<SiteName, LayerClass>;

using KernelKey = std::pair<std::string, LayerClass>;  // demangled name
// Entry point and its scalars.
using OpKey = std::tuple<std::string, LayerClass, Direction>;

// Sums by API function, kernel and operation over the used steps.
struct Tallies {
  std::map<std::string, ApiSums> apis;
  std::map<KernelKey, KernelSums> kernels;
  std::map<OpKey, OpSums> ops;
  std::map<Conflict, ConflictSums> conflicts;
  // Empty: the trace says of no call where it was made.
  std::map<SiteKey, SiteSums> sites;

  void Add(const Tallies& other);

  auto operator<=>(const Tallies&) const = default;
};

// Where an activity was added: keys that live as long as the tallies.
struct TallyRows {
  const OpKey* op;
  const std::string* kernel;  // of the op
  bool new_op;                // it counts as one of the op
  bool new_kernel;
};

// What an activity adds beside its time.
enum class Counts : uint8_t {
  kTime,      // nothing: the rest was counted before
  kActivity,  // it is one activity more
  kWork       // and the first of its work
};

// Fills the tallies of one process. Holds references to all it is given, and
// pointers to the rows of `tallies`: nobody may take rows away meanwhile.
class TallyKeeper {
 public:
  TallyKeeper(const TraceModel& model, const Process& process,
              const ProcessAttribution& attribution, Tallies& tallies)
      : model_(model),
        process_(process),
        attribution_(attribution),
        tallies_(tallies),
        call_sites_(model, process),
        apis_(model.entry_points.size()),
        rules_(model.texts.size()),
        knows_rule_(model.texts.size()) {}

  // `ns` of the activity lie inside the windows.
  TallyRows Add(size_t activity, int64_t ns, const Efficiency& efficiency,
                Counts counts);

  // The host's side: every outermost call inside a used step; without steps,
  // every one.
  void AddCalls(const Steps& steps);

 private:
  // Strings are made once for each row; activities find all of theirs by
  // numbers, in one look-up: what they are, packed since each activity asks,
  // the entry point, its function and the kind of its work.
  static uint64_t ActivityNumbers(const Activity& activity,
                                  const Attributed& attributed);
  using Numbers = std::tuple<uint64_t, EntryPointId, TextId, uint32_t>;
  using OpEntry = std::pair<const OpKey, OpSums>;
  using OpKernelEntry = std::pair<const std::string, OpKernelSums>;
  struct Rows {
    KernelSums* kernel = nullptr;
    OpEntry* op = nullptr;
    OpKernelEntry* op_kernel = nullptr;
  };

  const Rows& RowsOf(size_t index);
  Rows MakeRows(const Activity& activity, const Attributed& attributed,
                const OpIdentity& op);
  ApiSums& ApiRow(const Call& call);
  const NameRule* RuleOf(const Activity& activity);
  SiteSums& SiteRow(CallId call, LayerClass layer_class);
  std::string NameOf(const Activity& activity) const;
  void AddConflict(const Activity& activity, const Attributed& attributed,
                   int64_t ns, bool is_new);

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  Tallies& tallies_;
  const CallSites call_sites_;
  absl::flat_hash_map<std::pair<int, LayerClass>, SiteSums*> sites_;
  absl::flat_hash_set<size_t> counted_calls_;  // in rows by site
  absl::flat_hash_map<Numbers, Rows> rows_;
  std::vector<ApiSums*> apis_;  // by entry point; null: no row yet
  // Of kernels' names; null: no rule, or not asked yet.
  std::vector<const NameRule*> rules_;
  std::vector<bool> knows_rule_;
  // Kernel's name, class, evidence, entry point or range's name.
  using ConflictNumbers = std::tuple<TextId, LayerClass, ClassFrom, size_t>;
  absl::flat_hash_map<ConflictNumbers, ConflictSums*> conflicts_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_CLASSES_TALLIES_H_
