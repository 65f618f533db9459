// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/tallies.h"

#include <algorithm>
#include <utility>
#include <vector>

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

template <typename Map, typename Less>
auto Sorted(Map map, Less less) {
  std::vector<typename Map::mapped_type> rows;
  rows.reserve(map.size());
  for (auto& [key, row] : map) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), less);
  return rows;
}

}  // namespace

const std::string& Tallies::Demangled(TextId name) {
  const auto [it, is_new] = demangled_.try_emplace(name.value());
  if (is_new) it->second = Demangle(model_.texts[name]);
  return it->second;
}

void Tallies::Add(size_t index, int64_t ns, const Efficiency& efficiency,
                  bool new_work) {
  const Activity& activity = process_.activities[index];
  const Attributed& attributed = attribution_.activities[index];
  const std::string name = activity.kind == ActivityKind::kKernel
                               ? Demangled(activity.name)
                               : NameOfCopy(activity);
  KernelSummary& kernel = totals_.kernels[{name, attributed.layer_class}];
  kernel.name = name;
  kernel.layer_class = attributed.layer_class;
  ++kernel.count;
  kernel.gpu_ns += ns;

  const std::string op_name =
      attributed.work.known() || attributed.owner.known()
          ? OpName(model_, process_, attribution_, attributed)
          : name;
  OpSummary& op =
      totals_.ops[{op_name, attributed.layer_class, attributed.direction}];
  op.name = op_name;
  op.layer_class = attributed.layer_class;
  op.direction = attributed.direction;
  op.count += new_work || !attributed.work.known();
  op.gpu_ns += ns;
  op.efficiency.Add(efficiency);

  if (!attributed.submitted_by.known()) return;
  const Call& call = process_.calls[attributed.submitted_by.value()];
  const std::string& symbol = model_.entry_points[call.entry.value()].symbol;
  totals_.apis[symbol].gpu_ns += ns;
}

void Tallies::AddCalls(const Steps& steps) {
  for (size_t i = 0; i < process_.calls.size(); ++i) {
    if (attribution_.outermost[i] != CallId(i)) continue;
    const Call& call = process_.calls[i];
    if (!InUsedStep(steps, call.begin_ns)) continue;
    ApiSummary& api =
        totals_.apis[model_.entry_points[call.entry.value()].symbol];
    ++api.calls;
    api.cpu_ns += call.end_ns - call.begin_ns;
  }
}

void Tallies::Finish(Totals totals, Summary& summary) {
  for (auto& [symbol, api] : totals.apis) api.name = symbol;
  summary.apis = Sorted(std::move(totals.apis),
                        [](auto& a, auto& b) { return a.cpu_ns > b.cpu_ns; });
  const auto by_gpu = [](auto& a, auto& b) { return a.gpu_ns > b.gpu_ns; };
  summary.kernels = Sorted(std::move(totals.kernels), by_gpu);
  summary.ops = Sorted(std::move(totals.ops), by_gpu);
}

}  // namespace dltap::analyzer
