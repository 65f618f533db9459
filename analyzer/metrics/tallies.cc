// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/tallies.h"

#include <algorithm>

#include "analyzer/attribution/name_rules.h"
#include "analyzer/metrics/op_name.h"

namespace dltap::analyzer {
namespace {

std::string NameOfCopy(const Activity& activity) {
  if (activity.kind == ActivityKind::kMemset) return "memset";
  switch (activity.copy) {
    case CopyKind::kHostToDevice: return "memcpy HtoD";
    case CopyKind::kDeviceToHost: return "memcpy DtoH";
    case CopyKind::kDeviceToDevice: return "memcpy DtoD";
    case CopyKind::kPeer: return "memcpy PtoP";
    default: return "memcpy";
  }
}

bool InUsedStep(const Steps& steps, int64_t at_ns) {
  if (steps.steps.empty()) return true;
  const auto after = std::upper_bound(
      steps.steps.begin(), steps.steps.end(), at_ns,
      [](int64_t at, const Step& step) { return at < step.begin_ns; });
  if (after == steps.steps.begin()) return false;
  const Step& step = *(after - 1);
  return step.use == StepUse::kUsed && at_ns < step.end_ns;
}

}  // namespace

void Tallies::Add(const Tallies& other) {
  for (const auto& [name, sums] : other.apis) {
    ApiSums& into = apis[name];
    into.calls += sums.calls;
    into.cpu_ns += sums.cpu_ns;
    into.gpu_ns += sums.gpu_ns;
  }
  for (const auto& [key, sums] : other.kernels) {
    KernelSums& into = kernels[key];
    into.count += sums.count;
    into.gpu_ns += sums.gpu_ns;
    into.efficiency.Add(sums.efficiency);
  }
  for (const auto& [key, sums] : other.conflicts) {
    ConflictSums& into = conflicts[key];
    into.count += sums.count;
    into.gpu_ns += sums.gpu_ns;
  }
  for (const auto& [key, sums] : other.ops) {
    OpSums& into = ops[key];
    into.count += sums.count;
    into.gpu_ns += sums.gpu_ns;
    into.efficiency.Add(sums.efficiency);
  }
}

const std::string& TallyKeeper::Demangled(TextId name) {
  const auto [it, is_new] = demangled_.try_emplace(name.value());
  if (is_new) it->second = Demangle(model_.texts[name]);
  return it->second;
}

// What a name alone says is compared with what the library call, or the
// operator, says of the same kernel. Regrouped kernels have lost the latter.
void TallyKeeper::AddConflict(const Activity& activity,
                              const Attributed& attributed, int64_t ns) {
  const ClassFrom from = attributed.class_from;
  const bool by_call =
      from == ClassFrom::kApiArguments || from == ClassFrom::kCudnnGraph;
  if (activity.kind != ActivityKind::kKernel) return;
  if (!by_call && from != ClassFrom::kAnnotation) return;
  const auto [it, is_new] = rules_.try_emplace(activity.name.value());
  if (is_new) it->second = MatchKernelName(Demangled(activity.name));
  const NameRule* rule = it->second;
  if (rule == nullptr || rule->layer_class == attributed.layer_class) return;
  std::string origin;
  if (by_call && attributed.owner.known()) {
    const Call& call = process_.calls[attributed.owner.value()];
    origin = model_.entry_points[call.entry.value()].symbol;
  } else if (attributed.ruling.known()) {
    origin = model_.texts[process_.ranges[attributed.ruling.value()].name];
  }
  ConflictSums& sums =
      tallies_.conflicts[{Demangled(activity.name), rule->layer_class,
                          attributed.layer_class, from, origin}];
  ++sums.count;
  sums.gpu_ns += ns;
}

void TallyKeeper::Add(size_t index, int64_t ns, const Efficiency& efficiency,
                      bool new_work) {
  const Activity& activity = process_.activities[index];
  const Attributed& attributed = attribution_.activities[index];
  const std::string name = activity.kind == ActivityKind::kKernel
                               ? Demangled(activity.name)
                               : NameOfCopy(activity);
  KernelSums& kernel = tallies_.kernels[{name, attributed.layer_class}];
  ++kernel.count;
  kernel.gpu_ns += ns;
  kernel.efficiency.Add(efficiency);
  AddConflict(activity, attributed, ns);

  const std::string op_name =
      attributed.work.known() || attributed.owner.known()
          ? OpName(model_, process_, attribution_, attributed)
          : name;
  OpSums& op =
      tallies_.ops[{op_name, attributed.layer_class, attributed.direction}];
  op.count += new_work || !attributed.work.known();
  op.gpu_ns += ns;
  op.efficiency.Add(efficiency);

  if (!attributed.submitted_by.known()) return;
  const Call& call = process_.calls[attributed.submitted_by.value()];
  const std::string& symbol = model_.entry_points[call.entry.value()].symbol;
  tallies_.apis[symbol].gpu_ns += ns;
}

void TallyKeeper::AddCalls(const Steps& steps) {
  for (size_t i = 0; i < process_.calls.size(); ++i) {
    if (attribution_.outermost[i] != CallId(i)) continue;
    const Call& call = process_.calls[i];
    if (!InUsedStep(steps, call.begin_ns)) continue;
    ApiSums& api =
        tallies_.apis[model_.entry_points[call.entry.value()].symbol];
    ++api.calls;
    api.cpu_ns += call.end_ns - call.begin_ns;
  }
}

}  // namespace dltap::analyzer
