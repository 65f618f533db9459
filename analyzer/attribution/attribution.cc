// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/attribution.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/call_meaning.h"
#include "analyzer/attribution/composite.h"
#include "analyzer/attribution/correlator.h"
#include "analyzer/attribution/direction.h"
#include "analyzer/attribution/glue.h"
#include "analyzer/attribution/name_rules.h"
#include "analyzer/attribution/range_index.h"

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

// Classifies the activities of one process, one at a time; what a call, a
// range or a name says is worked out once.
class Classifier {
 public:
  Classifier(const TraceModel& model, const Process& process)
      : model_(model), process_(process), ranges_(process) {}

  ProcessAttribution Run() {
    Correlation correlation = Correlate(model_, process_);
    result_.launches_without_kernel = correlation.launches_without_kernel;
    result_.kernels_without_launch = correlation.kernels_without_launch;
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
    if (ClassifyByCall(activity, out)) return out;
    if (activity.kind != ActivityKind::kKernel) {
      out.layer_class = ClassOfCopy(activity);
      out.class_from = ClassFrom::kApiArguments;
      return out;
    }
    if (!ClassifyByAnnotation(activity, out)) ClassifyByName(activity, out);
    return out;
  }

  // A kernel inside a library call has the call's class; so have the memsets
  // and copies that the library puts around it.
  bool ClassifyByCall(const Activity& activity, Attributed& out) {
    if (!out.owner.known()) return false;
    const std::optional<CallMeaning>& meaning = MeaningOfCall(out.owner);
    if (!meaning) return false;
    out.layer_class = meaning->layer_class;
    out.direction = meaning->direction;
    out.class_from = meaning->class_from;
    out.autotune = meaning->autotune;
    out.work = WorkOf(out.owner, activity, *meaning);
    return true;
  }

  const std::optional<CallMeaning>& MeaningOfCall(CallId id) {
    const auto [it, is_new] = meanings_.try_emplace(id.value());
    if (is_new) {
      it->second = MeaningOf(model_, process_, process_.calls[id.value()]);
    }
    return it->second;
  }

  // A call works once, a captured call once per replay of its graph.
  WorkId WorkOf(CallId call, const Activity& activity,
                const CallMeaning& meaning) {
    const uint64_t replay = activity.graph_node != 0 ? activity.correlation : 0;
    const auto [it, is_new] =
        works_.try_emplace(std::pair(call.value(), replay));
    if (is_new) {
      it->second = WorkId(result_.works.size());
      result_.works.push_back({call, process_.calls[call.value()].operation,
                               meaning.leading, meaning.cost, 0});
    }
    AddTime(it->second, activity);
    return it->second;
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

  bool ClassifyByAnnotation(const Activity& activity, Attributed& out) {
    const NameRule* rule = nullptr;
    RangeId ruling;
    bool backward = false;
    const RangeId innermost = RangeOf(activity, out);
    for (RangeId id = innermost; id.known(); id = ranges_.ParentOf(id)) {
      const Range& range = process_.ranges[id.value()];
      backward |= range.backward;
      const NameRule* match = RuleOfRange(range.name);
      if (match == nullptr || (rule != nullptr && !match->container)) continue;
      rule = match;
      ruling = id;
    }
    if (backward) out.direction = Direction::kBackward;
    if (rule == nullptr) return false;
    out.layer_class = rule->layer_class;
    out.class_from = ClassFrom::kAnnotation;
    if (out.direction == Direction::kNone) out.direction = rule->direction;
    out.work = WorkOfRange(innermost, ruling, activity);
    return true;
  }

  // Imported operators carry shapes; the kernels of one share its work.
  WorkId WorkOfRange(RangeId innermost, RangeId ruling,
                     const Activity& activity) {
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
      const CallMeaning meaning =
          MeaningOf(model_.operations[operation.value()]);
      it->second = WorkId(result_.works.size());
      result_.works.push_back(
          {CallId(), operation, meaning.leading, meaning.cost, 0});
    }
    AddTime(it->second, activity);
    return it->second;
  }

  const NameRule* RuleOfRange(TextId name) {
    const auto [it, is_new] = range_rules_.try_emplace(name.value());
    if (is_new) it->second = MatchOperatorName(model_.texts[name]);
    return it->second;
  }

  void ClassifyByName(const Activity& activity, Attributed& out) {
    const auto [it, is_new] = kernel_rules_.try_emplace(activity.name.value());
    if (is_new) {
      it->second = MatchKernelName(Demangle(model_.texts[activity.name]));
    }
    const NameRule* rule = it->second;
    if (rule == nullptr) return;
    out.layer_class = rule->layer_class;
    out.class_from = ClassFrom::kKernelName;
    if (out.direction == Direction::kNone) out.direction = rule->direction;
  }

  const TraceModel& model_;
  const Process& process_;
  const RangeIndex ranges_;
  ProcessAttribution result_;
  absl::flat_hash_map<size_t, std::optional<CallMeaning>> meanings_;
  absl::flat_hash_map<std::pair<size_t, uint64_t>, WorkId> works_;
  absl::flat_hash_map<size_t, WorkId> range_works_;
  absl::flat_hash_map<size_t, const NameRule*> range_rules_;
  absl::flat_hash_map<size_t, const NameRule*> kernel_rules_;
};

}  // namespace

Attribution Attribute(const TraceModel& model,
                      const AttributionOptions& options) {
  Attribution attribution;
  for (const Process& process : model.processes) {
    ProcessAttribution result = Classifier(model, process).Run();
    InferDirections(process, result);
    if (options.composite) RegroupComposites(process, result);
    FindGlue(model, process, result);
    attribution.processes.push_back(std::move(result));
  }
  return attribution;
}

}  // namespace dltap::analyzer
