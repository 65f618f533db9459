// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/comparable.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/compare/difference_rows.h"
#include "analyzer/compare/same_program.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

constexpr double kMost = 0.5;          // of the GPU time of layers
constexpr double kSameFlops = 0.05;    // what counting them otherwise is off
constexpr double kSameByTime = 0.25;   // the same, where time divides them
constexpr double kUnseenShare = 0.01;  // of the time
constexpr double kOtherUnit = 1.5;     // times the kernels of a step

constexpr LayerClass kProducts[] = {LayerClass::kGemm, LayerClass::kConv,
                                    LayerClass::kAttention, LayerClass::kRnn};

std::optional<double> Lesser(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return std::min(*a, *b);
}

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

  void AddUnlike(Unlikeness what, std::string base, std::string now) {
    if (base != now) {
      found_.push_back({what, std::move(base), std::move(now)});
    }
  }

  void AddRuns() {
    AddUnlike(Unlikeness::kGpu, GpusOf(base_), GpusOf(now_));
    const auto kind = [](bool simulated) {
      return simulated ? "simulated" : "real";
    };
    const bool same_kind = base_.summary->simulated == now_.summary->simulated;
    AddUnlike(Unlikeness::kSimulated, kind(base_.summary->simulated),
              kind(now_.summary->simulated));
    if (same_kind) {
      AddUnlike(Unlikeness::kClock, kind(HasFixedHostTimes(base_)),
                kind(HasFixedHostTimes(now_)));
    }
    AddUnlike(Unlikeness::kLevel, base_.figures->trust.level,
              now_.figures->trust.level);
    std::string base = LossesOf(base_);
    std::string now = LossesOf(now_);
    if (!base.empty() || !now.empty()) {
      found_.push_back({Unlikeness::kLosses, std::move(base), std::move(now)});
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
        {Unlikeness::kNoTimes, base ? "yes" : "no", now ? "yes" : "no"});
  }

  void AddSteps(size_t least) {
    const size_t base = base_.figures->steps.used;
    const size_t now = now_.figures->steps.used;
    const auto devices = [](const Side& side) {
      return absl::StrCat(side.figures->devices.size());
    };
    if (base_.has_steps() != now_.has_steps()) {
      AddUnlike(Unlikeness::kSteps, absl::StrCat(base), absl::StrCat(now));
    } else if (std::min(base, now) < least) {
      found_.push_back(
          {Unlikeness::kFewSteps, absl::StrCat(base), absl::StrCat(now)});
    } else if (base_.has_steps()) {
      AddStepUnit();
      AddUnlike(Unlikeness::kDeviceCount, devices(base_), devices(now_));
    } else {
      AddUnlike(Unlikeness::kDevices, devices(base_), devices(now_));
    }
  }

  void AddPrecisions() {
    std::vector<std::string> base;
    std::vector<std::string> now;
    for (const LayerClass each : kProducts) {
      const std::string before = PrecisionOf(base_, each);
      const std::string after = PrecisionOf(now_, each);
      if (before.empty() || after.empty() || before == after) continue;
      base.push_back(absl::StrCat(std::string(Name(each)), " ", before));
      now.push_back(absl::StrCat(std::string(Name(each)), " ", after));
    }
    AddUnlike(Unlikeness::kPrecision, absl::StrJoin(base, ", "),
              absl::StrJoin(now, ", "));
  }

  void AddProgram(const std::vector<LayerPair>& pairs) {
    if (!FrameworkOf(base_).empty() && !FrameworkOf(now_).empty()) {
      AddUnlike(Unlikeness::kFramework, std::string(FrameworkOf(base_)),
                std::string(FrameworkOf(now_)));
    }
    if (UseOf(base_) != Use::kUnknown && UseOf(now_) != Use::kUnknown) {
      AddUnlike(Unlikeness::kUse, std::string(Name(UseOf(base_))),
                std::string(Name(UseOf(now_))));
    }
    if (!AddModel(pairs)) AddShapes(pairs);
  }

  std::vector<Unlike> Take() { return std::move(found_); }

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
    if (std::max(*times, 1 / *times) < kOtherUnit) return;
    const auto told = [](StepsFoundBy by) {
      return by == StepsFoundBy::kMarker ? "by marks" : "by what repeats";
    };
    found_.push_back({Unlikeness::kStepUnit, told(base), told(now), times});
  }

  // Of the GPU time of layers, in layers that both have.
  static std::optional<double> LayersShare(
      const std::vector<LayerPair>& pairs) {
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
    return Lesser(Ratio(common[0], all[0]), Ratio(common[1], all[1]));
  }

  // Other kinds of traces name layers in other ways, but kernels alike.
  std::optional<double> KernelsShare() const {
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
    return Lesser(share(base_, now_), share(now_, base_));
  }

  // False: it is the same, as far as one can tell.
  bool AddModel(const std::vector<LayerPair>& pairs) {
    const bool alike = base_.summary->formats == now_.summary->formats;
    const auto share = alike ? LayersShare(pairs) : KernelsShare();
    const auto weights = SameWeightsShare(base_, now_);
    const bool other = share && *share < kMost;
    if (weights ? *weights < kMost && (alike || other)
                : other && !IsSameScript()) {
      found_.push_back(
          {.what = Unlikeness::kLayers, .share = weights ? weights : share});
      return true;
    }
    if (other) found_.push_back({.what = Unlikeness::kFused, .share = share});
    return false;
  }

  bool IsSameScript() const {
    const std::string base = ScriptOf(base_);
    return !base.empty() && base == ScriptOf(now_);
  }

  // The same layers, but most of their time in calls of other sizes.
  void AddShapes(const std::vector<LayerPair>& pairs) {
    double known_ns = 0;
    double other_ns = 0;
    double call_flops[2] = {};
    double step_flops[2] = {};
    for (const LayerPair& pair : pairs) {
      if (pair.any().row != LayerRow::kLayer) continue;
      const auto base = Ratio(pair.base.flops_of_passes(), pair.base.calls);
      const auto now = Ratio(pair.now.flops_of_passes(), pair.now.calls);
      if (!base || !now || *base == 0 || *now == 0) continue;
      known_ns += pair.base.gpu_ns;
      call_flops[0] += *base;
      call_flops[1] += *now;
      step_flops[0] += pair.base.flops;
      step_flops[1] += pair.now.flops;
      const bool by_time =
          pair.base.recompute_ns > 0 || pair.now.recompute_ns > 0;
      const double same = by_time ? kSameByTime : kSameFlops;
      if (std::abs(*now / *base - 1) > same) other_ns += pair.base.gpu_ns;
    }
    if (known_ns == 0 || other_ns < kMost * known_ns) return;
    found_.push_back({.what = Unlikeness::kShapes,
                      .share = call_flops[1] / call_flops[0],
                      .step_share = step_flops[1] / step_flops[0]});
  }

  const Side& base_;
  const Side& now_;
  std::vector<Unlike> found_;
};

}  // namespace

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

std::vector<Unlike> FindUnlike(const Side& base, const Side& now,
                               const std::vector<LayerPair>& layers,
                               size_t least_steps) {
  Finder finder(base, now);
  const auto has_work = [](const Side& side) {
    return side.summary->devices.empty() ? "no" : "yes";
  };
  if (base.summary->devices.empty() || now.summary->devices.empty()) {
    return {{Unlikeness::kNoGpuWork, has_work(base), has_work(now)}};
  }
  finder.AddRuns();
  finder.AddTimes();
  finder.AddSteps(least_steps);
  finder.AddProgram(layers);
  finder.AddPrecisions();
  return finder.Take();
}

}  // namespace dltap::analyzer
