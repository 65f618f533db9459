// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_BASE_ATTRIBUTED_H_
#define DLTAP_ANALYZER_ATTRIBUTION_BASE_ATTRIBUTED_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/model/layer_class.h"
#include "analyzer/model/strong_id.h"
#include "analyzer/model/trace_model.h"
#include "opmodel/cost.h"

// What the passes of attribution find out, by position in the model: it refers
// to calls and activities of one Process by their index and is of use only
// beside it.
namespace dltap::analyzer {

using WorkId = StrongId<struct WorkTag>;

// An operation and what it takes: the same for all calls that are equal but for
// their pointers, and that the same algorithm ran.
struct WorkKind {
  opmodel::Operation leading;  // the node that gives the class; kUnknown
  std::optional<opmodel::Cost> cost;
  // What its algorithm did of cost->flops; nullopt: not known.
  std::optional<double> executed_flops = std::nullopt;
};

// One execution of one operation: a library call, or the replay of a captured
// one. Its kernels share its FLOPs in proportion to their time.
struct Work {
  CallId call;            // none: only the annotation is known
  OperationId operation;  // of a cuDNN plan or an imported operator
  uint32_t kind;          // into ProcessAttribution::work_kinds
  int64_t kernel_ns = 0;  // sum over its kernels
};

// What a kernel's name and grid tell of its work, at most: the last block may
// do less. nullopt: not told.
struct LaunchWork {
  std::optional<double> flops;
  std::optional<double> bytes;
  double bytes_least = 0;  // where bytes are known
  opmodel::DType math = opmodel::DType::kUnknown;
};

using LaunchKey = std::pair<TextId, uint32_t>;  // kernel's name, launch shape

// What an activity does beside the work of layers.
enum class Glue : uint8_t { kNone, kFill, kMove, kBias, kCount, kRandom };

// What is known of one activity.
struct Attributed {
  CallId submitted_by;  // see Join
  CallId owner;
  WorkId work;     // none: a framework's own kernel, a copy
  WorkId traffic;  // of an imported operator that only maps, moves or reduces
  RangeId ruling;  // the range that gives the class, or would
  LayerClass layer_class = LayerClass::kUnattributed;
  Direction direction = Direction::kNone;
  JoinedBy joined_by = JoinedBy::kNone;
  ClassFrom class_from = ClassFrom::kNone;
  bool autotune = false;     // a trial run, no work of the model
  bool in_backward = false;  // inside a range of the backward pass
  Glue glue = Glue::kNone;
  ActivityId glue_of;  // first or last activity of the layer it belongs to
};

struct ProcessAttribution {
  std::vector<Attributed> activities;  // one per Process::activities
  std::vector<Work> works;
  std::vector<WorkKind> work_kinds;
  // Of kernels without a work whose cost is known.
  absl::flat_hash_map<LaunchKey, std::optional<LaunchWork>> launch_works;
  // Whose names say that they compute in double precision.
  absl::flat_hash_set<TextId> fp64_kernels;
  std::vector<CallId> outermost;  // one per Process::calls
  // When they began.
  std::vector<int64_t> launches_without_kernel;
  std::vector<int64_t> kernels_without_launch;
  int64_t composite_ns = 0;  // device time regrouped by the last pass

  const WorkKind& KindOf(const Work& work) const {
    return work_kinds[work.kind];
  }
  const WorkKind& KindOf(WorkId work) const {
    return KindOf(works[work.value()]);
  }
};

struct Attribution {
  std::vector<ProcessAttribution> processes;  // one per TraceModel::processes
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_BASE_ATTRIBUTED_H_
