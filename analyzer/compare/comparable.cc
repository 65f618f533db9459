// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/comparable.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/metrics/ratio.h"

namespace dltap::analyzer {
namespace {

constexpr double kMost = 0.5;          // of the GPU time of layers
constexpr double kSameFlops = 0.05;    // what counting them otherwise is off
constexpr double kUnseenShare = 0.01;  // of the time
constexpr double kOtherUnit = 1.5;     // times the kernels of a step

std::string GpusOf(const Side& side) {
  std::vector<std::string> names;
  names.reserve(side.figures->program.gpus.size());
  for (const auto& [name, count] : side.figures->program.gpus) {
    names.push_back(name.empty() ? "unknown GPU" : name);
  }
  return absl::StrJoin(names, ", ");
}

// Host times of fixed costs are not those of a machine.
bool HasFixedHostTimes(const Side& side) {
  const auto& processes = side.summary->processes;
  return std::any_of(processes.begin(), processes.end(), [](const auto& each) {
    return each.host_clock == HostClock::kFixedCosts;
  });
}

class Finder {
 public:
  Finder(const Side& base, const Side& now) : base_(base), now_(now) {}

  void AddUnlike(Obstacle obstacle, std::string base, std::string now) {
    if (base != now) {
      found_.push_back({obstacle, std::move(base), std::move(now)});
    }
  }

  void AddRuns() {
    AddUnlike(Obstacle::kGpu, GpusOf(base_), GpusOf(now_));
    const auto kind = [](bool simulated) {
      return simulated ? "simulated" : "real";
    };
    const bool same_kind = base_.summary->simulated == now_.summary->simulated;
    AddUnlike(Obstacle::kSimulated, kind(base_.summary->simulated),
              kind(now_.summary->simulated));
    if (same_kind) {
      AddUnlike(Obstacle::kClock, kind(HasFixedHostTimes(base_)),
                kind(HasFixedHostTimes(now_)));
    }
    AddUnlike(Obstacle::kLevel, base_.figures->trust.level,
              now_.figures->trust.level);
    std::string base = LossesOf(base_);
    std::string now = LossesOf(now_);
    if (!base.empty() || !now.empty()) {
      found_.push_back({Obstacle::kLosses, std::move(base), std::move(now)});
    }
  }

  // Kernels of 0 ns: they were recorded, but not their times.
  void AddTimes() {
    const auto times = [](const Side& side) {
      uint64_t kernels = 0;
      for (const DeviceSummary& device : side.summary->devices) {
        kernels += device.counts.kernels;
      }
      return kernels == 0 || side.figures->totals.all.gpu_ns > 0;
    };
    const bool base = times(base_);
    const bool now = times(now_);
    if (base && now) return;
    found_.push_back(
        {Obstacle::kNoTimes, base ? "yes" : "no", now ? "yes" : "no"});
  }

  void AddSteps(size_t least) {
    const size_t base = base_.figures->steps.used;
    const size_t now = now_.figures->steps.used;
    if (base_.has_steps() != now_.has_steps()) {
      AddUnlike(Obstacle::kSteps, absl::StrCat(base), absl::StrCat(now));
    } else if (std::min(base, now) < least) {
      found_.push_back(
          {Obstacle::kFewSteps, absl::StrCat(base), absl::StrCat(now)});
    } else if (base_.has_steps()) {
      AddStepUnit();
    } else {
      AddUnlike(Obstacle::kDevices, absl::StrCat(base_.figures->devices.size()),
                absl::StrCat(now_.figures->devices.size()));
    }
  }

  void AddLayers(const std::vector<LayerPair>& pairs) {
    double all[2] = {};
    double common[2] = {};
    for (const LayerPair& pair : pairs) {
      if (pair.any().row != LayerRow::kLayer) continue;
      const bool both = pair.base.layers > 0 && pair.now.layers > 0;
      all[0] += pair.base.gpu_ns;
      all[1] += pair.now.gpu_ns;
      common[0] += both ? pair.base.gpu_ns : 0;
      common[1] += both ? pair.now.gpu_ns : 0;
    }
    const auto base = Ratio(common[0], all[0]);
    const auto now = Ratio(common[1], all[1]);
    if (!base || !now) return;
    if (AddIfOther(std::min(*base, *now))) return;
    AddShapes(pairs);
  }

  // Other kinds of traces name layers in other ways, but kernels alike.
  void AddKernels() {
    const auto share = [](const Side& of, const Side& other) {
      const auto& known = other.summary->tallies.kernels;
      std::set<std::string> names;
      for (const auto& [key, sums] : known) names.insert(key.first);
      double common_ns = 0;
      for (const KernelRow& row : of.figures->kernels) {
        if (!names.contains(row.name)) continue;
        common_ns += static_cast<double>(row.sums.gpu_ns);
      }
      return Ratio(common_ns,
                   static_cast<double>(of.figures->totals.all.gpu_ns));
    };
    const auto base = share(base_, now_);
    const auto now = share(now_, base_);
    if (base && now) AddIfOther(std::min(*base, *now));
  }

  std::vector<NotComparable> Take() { return std::move(found_); }

 private:
  // What repeats may be a part of what the program marks, or several of it.
  void AddStepUnit() {
    const StepsFoundBy base = base_.figures->steps.found_by;
    const StepsFoundBy now = now_.figures->steps.found_by;
    const auto kernels = [](const Side& side) {
      uint64_t count = 0;
      for (const DeviceSummary& device : side.summary->devices) {
        count += device.counts.kernels;
      }
      return static_cast<double>(count) / side.figures->totals.per_step();
    };
    const auto times = Ratio(kernels(now_), kernels(base_));
    if (base == now || !times) return;
    if (*times<kOtherUnit&& * times> 1 / kOtherUnit) return;
    const auto told = [](StepsFoundBy by) {
      return by == StepsFoundBy::kMarker ? "by marks" : "by what repeats";
    };
    found_.push_back({Obstacle::kStepUnit, told(base), told(now), times});
  }

  bool AddIfOther(double share) {
    if (share >= kMost) return false;
    found_.push_back({.obstacle = Obstacle::kLayers, .share = share});
    return true;
  }

  // The same layers, but most of their time in calls of other sizes.
  void AddShapes(const std::vector<LayerPair>& pairs) {
    double known_ns = 0;
    double other_ns = 0;
    double base_flops = 0;
    double now_flops = 0;
    for (const LayerPair& pair : pairs) {
      if (pair.any().row != LayerRow::kLayer) continue;
      const auto base = Ratio(pair.base.flops, pair.base.calls);
      const auto now = Ratio(pair.now.flops, pair.now.calls);
      if (!base || !now || *base == 0 || *now == 0) continue;
      known_ns += pair.base.gpu_ns;
      base_flops += *base;
      now_flops += *now;
      if (std::abs(*now / *base - 1) > kSameFlops) other_ns += pair.base.gpu_ns;
    }
    if (known_ns == 0 || other_ns < kMost * known_ns) return;
    found_.push_back(
        {.obstacle = Obstacle::kShapes, .share = now_flops / base_flops});
  }

  const Side& base_;
  const Side& now_;
  std::vector<NotComparable> found_;
};

}  // namespace

std::string_view Name(Obstacle obstacle) {
  constexpr std::string_view kNames[] = {
      "no_gpu_work", "gpu",    "simulated", "clock",     "level",
      "losses",      "steps",  "few_steps", "step_unit", "devices",
      "shapes",      "layers", "no_times"};
  return kNames[static_cast<size_t>(obstacle)];
}

std::string LossesOf(const Side& side) {
  constexpr WarningId kLosses[] = {
      WarningId::kLostRecords,     WarningId::kNotFlushed,
      WarningId::kWriteFailed,     WarningId::kOldestDropped,
      WarningId::kNotObserved,     WarningId::kCuptiYielded,
      WarningId::kStepsNotObserved};
  std::vector<std::string> names;
  for (const Warning& warning : side.figures->warnings) {
    if (std::find(std::begin(kLosses), std::end(kLosses), warning.id) ==
        std::end(kLosses)) {
      continue;
    }
    if (warning.id == WarningId::kNotObserved &&
        warning.share.value_or(1) < kUnseenShare) {
      continue;
    }
    names.emplace_back(Name(warning.id));
  }
  return absl::StrJoin(names, ", ");
}

std::vector<NotComparable> FindObstacles(const Side& base, const Side& now,
                                         const std::vector<LayerPair>& layers,
                                         size_t least_steps) {
  Finder finder(base, now);
  const auto has_work = [](const Side& side) {
    return side.summary->devices.empty() ? "no" : "yes";
  };
  if (base.summary->devices.empty() || now.summary->devices.empty()) {
    return {{Obstacle::kNoGpuWork, has_work(base), has_work(now)}};
  }
  finder.AddRuns();
  finder.AddTimes();
  finder.AddSteps(least_steps);
  base.summary->formats == now.summary->formats ? finder.AddLayers(layers)
                                                : finder.AddKernels();
  return finder.Take();
}

}  // namespace dltap::analyzer
