// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/classes/work_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/steps/steps_around.h"

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

constexpr int kPerDouble = 4;

// Where the second and later buckets of each power of two begin.
using QuarterTable = std::array<std::array<double, kPerDouble - 1>, 64>;
const QuarterTable& Quarters() {
  static const QuarterTable table = [] {
    QuarterTable out;
    for (int doubles = 0; doubles < 64; ++doubles) {
      for (int quarter = 1; quarter < kPerDouble; ++quarter) {
        out[doubles][quarter - 1] = std::ldexp(
            std::exp2(static_cast<double>(quarter) / kPerDouble), doubles);
      }
    }
    return out;
  }();
  return table;
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
  StepsAround around(steps);
  // Most work has the key of what was submitted right before it.
  auto last = sums.end();
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const Attributed& attributed = attribution.activities[i];
    const ClassKey key = {activity.device.value(),
                          around.Of(process, attributed.submitted_by),
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
  const auto doubles =
      static_cast<size_t>(std::bit_width(static_cast<uint64_t>(ns)) - 1);
  int bucket = kPerDouble * static_cast<int>(doubles);
  for (const double quarter : Quarters()[doubles]) {
    bucket += static_cast<double>(ns) >= quarter;
  }
  return bucket;
}

std::map<DurationKey, WorkSum> DurationSums(
    const Process& process, const ProcessAttribution& attribution) {
  absl::flat_hash_map<NameKey, size_t> first_of;
  absl::flat_hash_map<DurationKey, WorkSum> sums;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const Attributed& attributed = attribution.activities[i];
    const int64_t ns = activity.end_ns - activity.begin_ns;
    const size_t like = first_of.try_emplace(NameOf(activity), i).first->second;
    sums[{activity.device.value(), attributed.layer_class, attributed.direction,
          like, DurationBucket(ns)}]
        .Add(ns);
  }
  return {sums.begin(), sums.end()};
}

}  // namespace dltap::analyzer
