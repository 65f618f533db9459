// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/work_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/efficiency.h"
#include "analyzer/metrics/step_at.h"

namespace dltap::analyzer {
namespace {

// What names an activity: a kernel's name, or the kind of a copy.
using NameKey =
    std::tuple<ActivityKind, TextId, CopyKind, MemoryKind, MemoryKind>;

NameKey NameOf(const Activity& activity) {
  return {activity.kind, activity.name, activity.copy, activity.source,
          activity.target};
}

void AddKnown(double value, std::optional<double>& sum) {
  sum = sum.value_or(0) + value;
}

}  // namespace

void WorkSum::Add(int64_t ns) {
  min_ns = kernels == 0 ? ns : std::min(min_ns, ns);
  max_ns = kernels == 0 ? ns : std::max(max_ns, ns);
  ++kernels;
  gpu_ns += ns;
}

std::map<ClassKey, WorkSum> ClassSums(const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps) {
  std::map<ClassKey, WorkSum> sums;
  // Most work has the key of what was submitted right before it.
  auto last = sums.end();
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const Attributed& attributed = attribution.activities[i];
    const ClassKey key = {activity.device.value(),
                          SubmittedIn(process, steps, attributed.submitted_by),
                          attributed.layer_class, attributed.direction};
    if (last == sums.end() || last->first != key) {
      last = sums.try_emplace(key).first;
    }
    const int64_t ns = activity.end_ns - activity.begin_ns;
    last->second.Add(ns);
    const Efficiency work =
        EfficiencyOf(attribution, activity, attributed, ns, nullptr);
    if (work.known_ns > 0) AddKnown(work.flops, last->second.flops);
    if (work.bytes_ns > 0) AddKnown(work.bytes, last->second.bytes);
  }
  return sums;
}

int DurationBucket(int64_t ns) {
  if (ns <= 1) return 0;
  constexpr int kPerDouble = 4;
  const int doubles = std::bit_width(static_cast<uint64_t>(ns)) - 1;
  const double part = std::ldexp(static_cast<double>(ns), -doubles);
  int bucket = kPerDouble * doubles;
  for (int quarter = 1; quarter < kPerDouble; ++quarter) {
    bucket += part >= std::exp2(static_cast<double>(quarter) / kPerDouble);
  }
  return bucket;
}

std::map<DurationKey, WorkSum> DurationSums(
    const Process& process, const ProcessAttribution& attribution) {
  absl::flat_hash_map<NameKey, size_t> first_of;
  std::map<DurationKey, WorkSum> sums;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const Attributed& attributed = attribution.activities[i];
    const int64_t ns = activity.end_ns - activity.begin_ns;
    const size_t like = first_of.try_emplace(NameOf(activity), i).first->second;
    sums[{activity.device.value(), attributed.layer_class, attributed.direction,
          like, DurationBucket(ns)}]
        .Add(ns);
  }
  return sums;
}

}  // namespace dltap::analyzer
