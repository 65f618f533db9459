// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/attribution.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/base/optimizer_ranges.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/attribution/calls/call_meaning.h"
#include "analyzer/attribution/calls/meaning_cache.h"
#include "analyzer/attribution/composite/composite.h"
#include "analyzer/attribution/direction/direction.h"
#include "analyzer/attribution/join/correlator.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/attribution/trials/trials.h"
#include "analyzer/attribution/work/algorithm.h"
#include "analyzer/attribution/work/flash_work.h"
#include "analyzer/attribution/work/fp64_kernels.h"
#include "analyzer/attribution/work/launch_work.h"
#include "analyzer/attribution/work/list_work.h"
#include "analyzer/attribution/work/told_launches.h"
#include "analyzer/attribution/xla/xla_origin.h"
#include "analyzer/attribution/xla/xla_passes.h"

namespace dltap::analyzer {
namespace {

LayerClass ClassOfCopy(const Activity& activity) {
  if (activity.kind == ActivityKind::kMemset) return LayerClass::kMemset;
  switch (activity.copy) {
    case CopyKind::kHostToDevice: return LayerClass::kCopyH2d;
    case CopyKind::kDeviceToHost: return LayerClass::kCopyD2h;
    case CopyKind::kPeer: return LayerClass::kCopyP2p;
    default: return LayerClass::kCopyD2d;
  }
}

// "AddmmBackward0", "torch::autograd::CopyBackwards", also with ", seq = 7".
bool NamesAutogradNode(std::string_view name) {
  name = name.substr(0, name.find(", "));
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') {
    name.remove_suffix(1);
  }
  return name.ends_with("Backward") || name.ends_with("Backwards");
}

// Classifies the activities of one process, one at a time; what a call, a
// range or a name says is worked out once.
class Classifier {
 public:
  Classifier(const TraceModel& model, const Process& process,
             const RangeIndex& ranges, const XlaPasses& xla_passes)
      : model_(model),
        process_(process),
        ranges_(ranges),
        closures_(OptimizersWithGradients(model, process)),
        xla_passes_(xla_passes),
        meanings_(model, process),
        works_(process.calls.size()),
        kernel_rules_(model.texts.size()) {}

  ProcessAttribution Run() {
    Correlation correlation = Correlate(model_, process_);
    result_.launches_without_kernel =
        std::move(correlation.launches_without_kernel);
    result_.kernels_without_launch =
        std::move(correlation.kernels_without_launch);
    result_.activities.reserve(process_.activities.size());
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      result_.activities.push_back(
          Classify(process_.activities[i], correlation.joins[i]));
    }
    result_.outermost = std::move(correlation.outermost);
    return std::move(result_);
  }

 private:
  Attributed Classify(const Activity& activity, const Join& join) {
    Attributed out;
    out.submitted_by = join.submitted_by;
    out.owner = join.owner;
    out.joined_by = join.joined_by;
    const RangeId innermost = RangeOf(activity, out);
    SetRuling(innermost, out);
    if (activity.kind != ActivityKind::kKernel) {
      ClassifyCopy(activity, out);
    } else if (!ClassifyByCall(activity, innermost, out)) {
      ClassifyByName(activity, innermost, out);
    }
    return out;
  }

  // Copies stay copies inside a library call, but are part of its work.
  void ClassifyCopy(const Activity& activity, Attributed& out) {
    out.layer_class = ClassOfCopy(activity);
    out.class_from = ClassFrom::kApiArguments;
    if (!out.owner.known()) return;
    if (const std::optional<CallMeaning>& meaning = MeaningOfCall(out.owner)) {
      out.autotune = meaning->autotune;
      out.work = WorkOf(out.owner, activity, *meaning);
    }
  }

  // A kernel inside a library call has the call's class.
  bool ClassifyByCall(const Activity& activity, RangeId innermost,
                      Attributed& out) {
    if (!out.owner.known()) return false;
    const std::optional<CallMeaning>& meaning = MeaningOfCall(out.owner);
    if (!meaning) return false;
    out.layer_class = meaning->layer_class;
    out.direction = xla_passes_.DirectionOfCall(innermost, meaning->direction);
    out.class_from = meaning->class_from;
    out.autotune = meaning->autotune;
    out.work = WorkOf(out.owner, activity, *meaning);
    return true;
  }

  const std::optional<CallMeaning>& MeaningOfCall(CallId id) {
    return meanings_.Of(id);
  }

  // A call works once, a captured call once per replay of its graph.
  WorkId WorkOf(CallId call, const Activity& activity,
                const CallMeaning& meaning) {
    const uint64_t replay = activity.graph_node != 0 ? activity.correlation : 0;
    WorkId& work = replay == 0 ? works_[call.value()]
                               : replayed_works_[{call.value(), replay}];
    if (!work.known()) {
      work = WorkId(result_.works.size());
      const uint32_t of_call = meanings_.IndexOf(call);
      if (kind_of_meaning_.size() <= of_call) {
        kind_of_meaning_.resize(of_call + 1);
      }
      std::optional<uint32_t>& kind = kind_of_meaning_[of_call];
      if (!kind) kind = AddKind(meaning);
      result_.works.push_back(
          {call, process_.calls[call.value()].operation, *kind});
    }
    AddTime(work, activity);
    return work;
  }

  // Of an imported operator.
  uint32_t KindOf(OperationId operation) {
    const auto [it, is_new] = kind_of_operation_.try_emplace(operation.value());
    if (is_new) {
      it->second = AddKind(MeaningOf(model_.operations[operation.value()]));
    }
    return it->second;
  }

  uint32_t AddKind(const CallMeaning& meaning) {
    result_.work_kinds.push_back({meaning.leading, meaning.cost});
    return static_cast<uint32_t>(result_.work_kinds.size() - 1);
  }

  void AddTime(WorkId work, const Activity& activity) {
    if (activity.kind != ActivityKind::kKernel) return;
    result_.works[work.value()].kernel_ns +=
        activity.end_ns - activity.begin_ns;
  }

  RangeId RangeOf(const Activity& activity, const Attributed& out) const {
    if (activity.annotation.known()) return activity.annotation;
    const CallId call = activity.graph_node != 0 ? out.owner : out.submitted_by;
    if (!call.known() || process_.ranges.empty()) return RangeId();
    const Call& at = process_.calls[call.value()];
    return ranges_.InnermostAt(at.thread, at.begin_ns);
  }

  // The innermost range that a rule knows rules, or a container around it.
  void SetRuling(RangeId innermost, Attributed& out) {
    const NameRule* rule = nullptr;
    out.direction = xla_passes_.Of(innermost);
    for (RangeId id = innermost; id.known(); id = ranges_.ParentOf(id)) {
      const Range& range = process_.ranges[id.value()];
      if (range.kind == RangeKind::kPython) continue;  // who, not what
      // Of the nodes around it, the innermost launched it.
      const bool is_node = range.backward || IsAutogradNode(range.name);
      if (is_node && !out.in_backward && RecomputesItself(range.name)) {
        out.direction = Direction::kRecompute;
      }
      out.in_backward |= is_node;
      if (!is_node && out.direction == Direction::kNone &&
          NamesBackward(range.name)) {
        out.direction = Direction::kBackward;
      }
      const NameRule* match = RuleOfRange(id);
      if (match == nullptr || closures_.contains(id.value())) continue;
      if (out.direction == Direction::kNone) out.direction = match->direction;
      if (rule != nullptr && !match->outranks) continue;
      rule = match;
      out.ruling = id;
    }
  }

  // By the operator, unless the kernel's own name is certain or none rules.
  void ClassifyByName(const Activity& activity, RangeId innermost,
                      Attributed& out) {
    const NameRule* by_name = RuleOfKernel(activity.name);
    const bool is_certain = by_name != nullptr && by_name->outranks;
    const NameRule* rule = by_name;
    if (out.ruling.known()) SetWork(innermost, activity, is_certain, out);
    if (out.ruling.known() && !is_certain) {
      rule = RuleOfRange(out.ruling);
      out.class_from = ClassFrom::kAnnotation;
    } else if (rule != nullptr) {
      out.class_from = ClassFrom::kKernelName;
    }
    if (rule == nullptr) return;
    out.layer_class = rule->layer_class;
    if (ComputesWhatItJoins(activity, innermost, out)) {
      out.layer_class = LayerClass::kElementwise;
    }
    const XlaOrigin* origin = xla_passes_.OriginOf(innermost);
    if (out.layer_class == LayerClass::kReduction && origin != nullptr) {
      out.layer_class = ClassOfRows(*origin);
    }
    if (by_name != nullptr && MayTell(*by_name, out)) {
      out.direction = by_name->direction;
    }
  }

  // XLA names a fusion that ends by joining its results for that alone, also
  // where they are random numbers.
  bool ComputesWhatItJoins(const Activity& activity, RangeId innermost,
                           const Attributed& out) const {
    return out.layer_class == LayerClass::kLayout &&
           xla_passes_.Computes(innermost) &&
           model_.texts[activity.name].find("concatenate_fusion") !=
               std::string_view::npos;
  }

  // An operator of the backward pass may launch kernels that are named for the
  // forward one; which gradient it is, the name of a kernel tells.
  static bool MayTell(const NameRule& by_name, const Attributed& out) {
    return out.direction == Direction::kNone ||
           (out.direction == Direction::kBackward &&
            IsBackward(by_name.direction));
  }

  // Imported operators carry shapes; the kernels of one share its work. What
  // only fills or copies inside another operator has no part in that.
  void SetWork(RangeId innermost, const Activity& activity, bool is_certain,
               Attributed& out) {
    const WorkId work = WorkOfRange(innermost, out.ruling);
    if (!work.known()) return;
    const bool is_traffic = IsTraffic(result_.KindOf(work));
    if (is_certain && !is_traffic) return;
    (is_traffic ? out.traffic : out.work) = work;
    AddTime(work, activity);
  }

  WorkId WorkOfRange(RangeId innermost, RangeId ruling) {
    RangeId shaped = innermost;
    while (shaped.known() &&
           !process_.ranges[shaped.value()].operation.known()) {
      if (shaped == ruling) return WorkId();
      shaped = ranges_.ParentOf(shaped);
    }
    if (!shaped.known()) return WorkId();
    const OperationId operation = process_.ranges[shaped.value()].operation;
    const auto [it, is_new] = range_works_.try_emplace(shaped.value());
    if (is_new) {
      it->second = WorkId(result_.works.size());
      result_.works.push_back({CallId(), operation, KindOf(operation)});
    }
    return it->second;
  }

  // What tells how much is done, but not which layer does it.
  static bool IsTraffic(const WorkKind& kind) {
    switch (kind.leading.kind) {
      case opmodel::OpKind::kPointwise:
      case opmodel::OpKind::kReduction:
      case opmodel::OpKind::kLayout:
      case opmodel::OpKind::kOptimizer: return true;
      default: return false;
    }
  }

  // Reentrant checkpointing runs the forward pass inside a node of its own.
  bool RecomputesItself(TextId name) const {
    return model_.texts[name].find("CheckpointFunctionBackward") !=
           std::string_view::npos;
  }

  // "aten::convolution_backward"; no recomputation runs inside such a one.
  bool NamesBackward(TextId name) {
    const auto [it, is_new] = backward_operators_.try_emplace(name.value());
    if (is_new) {
      const std::string_view text = model_.texts[name];
      it->second = text.find("::") != std::string_view::npos &&
                   text.find("_backward") != std::string_view::npos;
    }
    return it->second;
  }

  bool IsAutogradNode(TextId name) {
    const auto [it, is_new] = autograd_nodes_.try_emplace(name.value());
    if (is_new) it->second = NamesAutogradNode(model_.texts[name]);
    return it->second;
  }

  // XLA names a range for what all operations of a fusion have in common, which
  // may be no more than the step; its own path is in the detail.
  const NameRule* RuleOfRange(RangeId id) {
    const TextId name = process_.ranges[id.value()].name;
    const auto [it, is_new] = range_rules_.try_emplace(name.value());
    if (is_new) it->second = MatchOperatorName(model_.texts[name]);
    return it->second != nullptr ? it->second : RuleOfOwnPath(id);
  }

  const NameRule* RuleOfOwnPath(RangeId id) {
    const XlaOrigin* origin = xla_passes_.OriginOf(id);
    if (origin == nullptr || origin->path.empty()) return nullptr;
    const auto [it, is_new] = path_rules_.try_emplace(origin->path);
    if (is_new) it->second = MatchOperatorName(NameForPath(origin->path));
    return it->second;
  }

  const NameRule* RuleOfKernel(TextId name) {
    if (!name.known()) return MatchKernelName(Demangle(model_.texts[name]));
    std::optional<const NameRule*>& rule = kernel_rules_[name.value()];
    if (!rule) rule = MatchKernelName(Demangle(model_.texts[name]));
    return *rule;
  }

  const TraceModel& model_;
  const Process& process_;
  const RangeIndex& ranges_;
  const absl::flat_hash_set<size_t> closures_;
  const XlaPasses& xla_passes_;
  ProcessAttribution result_;
  MeaningCache meanings_;
  // Into result_.work_kinds.
  std::vector<std::optional<uint32_t>> kind_of_meaning_;
  absl::flat_hash_map<size_t, uint32_t> kind_of_operation_;
  std::vector<WorkId> works_;  // by call, but of replays
  absl::flat_hash_map<std::pair<size_t, uint64_t>, WorkId> replayed_works_;
  absl::flat_hash_map<size_t, WorkId> range_works_;
  absl::flat_hash_map<size_t, bool> autograd_nodes_;          // by name
  absl::flat_hash_map<size_t, bool> backward_operators_;      // by name
  absl::flat_hash_map<size_t, const NameRule*> range_rules_;  // by name
  absl::flat_hash_map<std::string_view, const NameRule*> path_rules_;
  std::vector<std::optional<const NameRule*>> kernel_rules_;  // by name
};

// Takes a trace at its word where it states classes.
void TakeStatedClasses(const Process& process, ProcessAttribution& result) {
  if (process.stated_classes.empty()) return;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const uint16_t at = process.activities[i].stated;
    if (at == 0) continue;
    const StatedClass& stated = process.stated_classes[at];
    Attributed& out = result.activities[i];
    out.layer_class = stated.layer_class;
    out.direction = stated.direction;
    out.class_from = stated.class_from;
    out.autotune = stated.autotune;
  }
}

}  // namespace

ProcessAttribution Attribute(const TraceModel& model, const Process& process,
                             const AttributionOptions& options) {
  const RangeIndex ranges(process);
  const XlaPasses xla_passes(model, process, ranges);
  ProcessAttribution result =
      Classifier(model, process, ranges, xla_passes).Run();
  AddListWorks(model, process, result);
  AddAlgorithms(model, process, result);
  AddLaunchWorks(model, process, result);
  FindFp64Kernels(model, process, result);
  MarkTrials(model, process, result);
  InferDirections(model, process, xla_passes, result);
  AddFlashWorks(model, process, result);
  if (options.composite) {
    RegroupComposites(model, process, ranges, result);
  }
  TakeStatedClasses(process, result);
  FindGlue(model, process, result);
  ShareToldWorks(model, process, result);
  return result;
}

Attribution Attribute(const TraceModel& model,
                      const AttributionOptions& options) {
  Attribution attribution;
  for (const Process& process : model.processes) {
    attribution.processes.push_back(Attribute(model, process, options));
  }
  return attribution;
}

}  // namespace dltap::analyzer
