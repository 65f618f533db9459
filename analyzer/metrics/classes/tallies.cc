// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/classes/tallies.h"

#include "analyzer/attribution/base/api_name.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

// `near` is where the last call lay.
bool InUsedStep(const Steps& steps, int64_t at_ns, size_t& near) {
  if (steps.steps.empty()) return true;
  near = FirstFrom(steps.steps.size(), near,
                   [&](size_t i) { return steps.steps[i].begin_ns <= at_ns; });
  if (near == 0) return false;
  const Step& step = steps.steps[near - 1];
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
  for (const auto& [key, sums] : other.sites) {
    SiteSums& into = sites[key];
    into.calls += sums.calls;
    into.kernels += sums.kernels;
    into.gpu_ns += sums.gpu_ns;
  }
  for (const auto& [key, sums] : other.ops) {
    OpSums& into = ops[key];
    into.count += sums.count;
    into.gpu_ns += sums.gpu_ns;
    into.efficiency.Add(sums.efficiency);
    for (const auto& [name, of_kernel] : sums.kernels) {
      OpKernelSums& kernel = into.kernels[name];
      kernel.count += of_kernel.count;
      kernel.gpu_ns += of_kernel.gpu_ns;
    }
  }
}

std::string TallyKeeper::NameOf(const Activity& activity) const {
  return activity.kind == ActivityKind::kKernel
             ? Demangle(model_.texts[activity.name])
             : std::string(NameOfCopy(activity));
}

uint64_t TallyKeeper::ActivityNumbers(const Activity& activity,
                                      const Attributed& attributed) {
  constexpr size_t kNoName = 0xFFFFFFFF;
  const uint64_t name = activity.name.known() ? activity.name.value() : kNoName;
  return name << 32 | static_cast<uint64_t>(activity.kind) << 24 |
         static_cast<uint64_t>(activity.copy) << 16 |
         static_cast<uint64_t>(attributed.layer_class) << 8 |
         static_cast<uint64_t>(attributed.direction);
}

const TallyKeeper::Rows& TallyKeeper::RowsOf(size_t index) {
  const Activity& activity = process_.activities[index];
  const Attributed& attributed = attribution_.activities[index];
  constexpr uint32_t kNoWork = 0xFFFFFFFF;
  const OpIdentity op = IdentityOf(model_, process_, attribution_, index);
  const uint32_t work = attributed.work.known()
                            ? attribution_.works[attributed.work.value()].kind
                            : kNoWork;
  Rows& rows =
      rows_[{ActivityNumbers(activity, attributed), op.entry, op.name, work}];
  if (rows.op == nullptr) rows = MakeRows(activity, attributed, op);
  return rows;
}

// Kernels of one name and works of equal scalars share rows.
TallyKeeper::Rows TallyKeeper::MakeRows(const Activity& activity,
                                        const Attributed& attributed,
                                        const OpIdentity& op) {
  const LayerClass layer_class = attributed.layer_class;
  const std::string name = NameOf(activity);
  const std::string op_name = OpName(model_, op);
  OpKey key(op_name.empty() ? name : op_name, layer_class,
            attributed.direction);
  OpEntry& of_op = *tallies_.ops.try_emplace(std::move(key)).first;
  return {&tallies_.kernels[{name, layer_class}], &of_op,
          &*of_op.second.kernels.try_emplace(name).first};
}

ApiSums& TallyKeeper::ApiRow(const Call& call) {
  ApiSums*& row = apis_[call.entry.value()];
  if (row == nullptr) {
    row = &tallies_.apis[std::string(
        ApiName(model_.entry_points[call.entry.value()]))];
  }
  return *row;
}

SiteSums& TallyKeeper::SiteRow(CallId call, LayerClass layer_class) {
  const int site = call_sites_.Of(
      call.known() ? attribution_.outermost[call.value()] : call);
  SiteSums*& row = sites_[{site, layer_class}];
  if (row == nullptr) {
    row = &tallies_.sites[{site < 0 ? SiteName{} : call_sites_.names()[site],
                           layer_class}];
  }
  return *row;
}

// What a name alone says is compared with what the library call, or the
// operator, says of the same kernel. Regrouped kernels have lost the latter.
void TallyKeeper::AddConflict(const Activity& activity,
                              const Attributed& attributed, int64_t ns,
                              bool is_new) {
  const ClassFrom from = attributed.class_from;
  const bool by_call =
      from == ClassFrom::kApiArguments || from == ClassFrom::kCudnnGraph;
  if (activity.kind != ActivityKind::kKernel) return;
  if (!by_call && from != ClassFrom::kAnnotation) return;
  const NameRule* rule = RuleOf(activity);
  if (rule == nullptr || rule->layer_class == attributed.layer_class) return;
  size_t origin = 0;  // 0: not known
  if (by_call && attributed.owner.known()) {
    origin = 1 + process_.calls[attributed.owner.value()].entry.value();
  } else if (!by_call && attributed.ruling.known()) {
    origin = 1 + process_.ranges[attributed.ruling.value()].name.value();
  }
  ConflictSums*& row =
      conflicts_[{activity.name, attributed.layer_class, from, origin}];
  if (row == nullptr) {
    const std::string name =
        origin == 0 ? ""
        : by_call   ? model_.entry_points[origin - 1].symbol
                    : std::string(model_.texts[TextId(origin - 1)]);
    row = &tallies_.conflicts[{NameOf(activity), rule->layer_class,
                               attributed.layer_class, from, name}];
  }
  row->count += is_new;
  row->gpu_ns += ns;
}

const NameRule* TallyKeeper::RuleOf(const Activity& activity) {
  if (!activity.name.known()) return MatchKernelName(NameOf(activity));
  const size_t name = activity.name.value();
  if (!knows_rule_[name]) {
    rules_[name] = MatchKernelName(NameOf(activity));
    knows_rule_[name] = true;
  }
  return rules_[name];
}

TallyRows TallyKeeper::Add(size_t index, int64_t ns,
                           const Efficiency& efficiency, Counts counts) {
  const Activity& activity = process_.activities[index];
  const Attributed& attributed = attribution_.activities[index];
  const Rows& rows = RowsOf(index);
  KernelSums& kernel = *rows.kernel;
  const bool is_new = counts != Counts::kTime;
  kernel.count += is_new;
  kernel.gpu_ns += ns;
  kernel.efficiency.Add(efficiency);
  AddConflict(activity, attributed, ns, is_new);

  auto& [op_key, op] = *rows.op;
  const bool new_op =
      counts == Counts::kWork || (is_new && !attributed.work.known());
  op.count += new_op;
  op.gpu_ns += ns;
  op.efficiency.Add(efficiency);
  auto& [kernel_name, of_op] = *rows.op_kernel;
  of_op.count += is_new;
  of_op.gpu_ns += ns;
  if (call_sites_.any()) {
    const CallId call =
        attributed.owner.known() ? attributed.owner : attributed.submitted_by;
    SiteSums& site = SiteRow(call, attributed.layer_class);
    site.kernels += is_new;
    site.gpu_ns += ns;
    if (is_new && call.known()) {
      const auto [it, is_first] = counted_calls_.insert(call.value());
      site.calls += is_first;
    }
  }
  if (attributed.submitted_by.known()) {
    ApiRow(process_.calls[attributed.submitted_by.value()]).gpu_ns += ns;
  }
  return {&op_key, &kernel_name, new_op, is_new};
}

void TallyKeeper::AddCalls(const Steps& steps) {
  size_t near = 0;
  for (size_t i = 0; i < process_.calls.size(); ++i) {
    if (attribution_.outermost[i] != CallId(i)) continue;
    const Call& call = process_.calls[i];
    if (!InUsedStep(steps, call.begin_ns, near)) continue;
    ApiSums& api = ApiRow(call);
    ++api.calls;
    api.cpu_ns += call.end_ns - call.begin_ns;
  }
}

}  // namespace dltap::analyzer
