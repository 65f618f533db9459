// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/path/what_if.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

constexpr double kInfinitely = std::numeric_limits<double>::infinity();
// As many parts and activities are replayed for each scenario.
constexpr size_t kMostItems = 100'000;
constexpr size_t kMostItemsAsked = 4'000'000;
// What takes less of the path is not worth a scenario.
constexpr double kLeastShare = 0.01;
constexpr size_t kMostClasses = 6;

constexpr IdleCause kFrameworkCauses[] = {IdleCause::kFramework,
                                          IdleCause::kUnknown};
constexpr IdleCause kHostCauses[] = {IdleCause::kFramework, IdleCause::kUnknown,
                                     IdleCause::kLibrary, IdleCause::kLaunch};
constexpr IdleCause kInputCauses[] = {IdleCause::kInput};
constexpr IdleCause kLibraryCauses[] = {IdleCause::kLibrary};
constexpr IdleCause kLaunchCauses[] = {IdleCause::kLaunch};

// Words that stand for causes.
struct HostWord {
  std::string_view word;
  std::span<const IdleCause> causes;
};
constexpr HostWord kHostWords[] = {{"host", kHostCauses},
                                   {"framework", kFrameworkCauses},
                                   {"library", kLibraryCauses},
                                   {"launch", kLaunchCauses},
                                   {"input", kInputCauses}};
constexpr std::string_view kWaits = "waits";

// Words that stand for classes.
struct ClassWord {
  std::string_view word;
  bool (*holds)(LayerClass layer_class);
};
constexpr ClassWord kClassWords[] = {
    {"kernels",
     [](LayerClass c) { return !IsCopyOrMemset(c) && c != LayerClass::kComm; }},
    {"copies", [](LayerClass c) { return IsCopyOrMemset(c); }}};

double HostNsOf(const PathSums& path, std::span<const IdleCause> causes) {
  double ns = 0;
  for (const IdleCause cause : causes) {
    ns += static_cast<double>(path.idle_ns[static_cast<size_t>(cause)]);
  }
  return ns;
}

// What takes a part of the path worth mentioning, most first.
std::vector<std::string> Worthwhile(const PathSums& path) {
  const double least = kLeastShare * static_cast<double>(path.total_ns());
  std::vector<std::pair<double, std::string>> classes;
  for (size_t i = 0; i < kClassCount; ++i) {
    const auto layer_class = static_cast<LayerClass>(i);
    const auto ns = static_cast<double>(path.of(layer_class));
    if (ns < least || ns == 0) continue;
    classes.emplace_back(-ns, std::string(Name(layer_class)));
  }
  std::sort(classes.begin(), classes.end());
  if (classes.size() > kMostClasses) classes.resize(kMostClasses);
  std::vector<std::string> out;
  for (auto& [ns, name] : classes) out.push_back(std::move(name));
  for (const HostWord& word : {kHostWords[0], kHostWords[4]}) {
    const double ns = HostNsOf(path, word.causes);
    if (ns >= least && ns > 0) out.emplace_back(word.word);
  }
  return out;
}

}  // namespace

std::vector<Scenario> SuggestedScenarios(const PathSums& path) {
  std::vector<Scenario> out;
  for (const std::string& what : Worthwhile(path)) {
    out.push_back({{what, 2}});
    out.push_back({{what, kInfinitely}});
  }
  out.push_back({{std::string(kWaits), kInfinitely}});
  return out;
}

size_t MostReplayed(bool asked) { return asked ? kMostItemsAsked : kMostItems; }

TimeFactors FactorsOf(const Scenario& scenario) {
  TimeFactors factors;
  for (const Speedup& speedup : scenario) Apply(speedup, factors);
  return factors;
}

std::vector<std::string> KnownSpeedups() {
  std::vector<std::string> out;
  for (const HostWord& word : kHostWords) out.emplace_back(word.word);
  for (const ClassWord& word : kClassWords) out.emplace_back(word.word);
  out.emplace_back(kWaits);
  return out;
}

bool Apply(const Speedup& speedup, TimeFactors& factors) {
  const double factor = 1 / speedup.times;
  if (speedup.what == kWaits) {
    factors.waits = std::isfinite(speedup.times);
    return !factors.waits;
  }
  for (const HostWord& word : kHostWords) {
    if (speedup.what != word.word) continue;
    for (const IdleCause cause : word.causes) {
      factors.host[static_cast<size_t>(cause)] *= factor;
    }
    return true;
  }
  bool known = false;
  for (size_t i = 0; i < kClassCount; ++i) {
    const auto layer_class = static_cast<LayerClass>(i);
    const bool meant =
        speedup.what == Name(layer_class) ||
        std::any_of(std::begin(kClassWords), std::end(kClassWords),
                    [&](const ClassWord& word) {
                      return word.word == speedup.what &&
                             word.holds(layer_class);
                    });
    if (meant) factors.work[i] *= factor;
    known = known || meant;
  }
  return known;
}

WhatIfSums WhatIf(const StepGraph& graph, const Process& process,
                  const ProcessAttribution& attribution, DeviceId device,
                  const std::vector<StepWindow>& windows, const PathSums& path,
                  const std::vector<Scenario>& scenarios) {
  const bool asked = !scenarios.empty();
  Replay replay(graph, process, attribution, device, windows,
                MostReplayed(asked));
  WhatIfSums out;
  out.windows = replay.windows();
  out.measured_ns = replay.measured_ns();
  out.replayed_ns = replay.Run({});
  out.unsigned_error_ns = std::abs(out.replayed_ns - out.measured_ns);
  for (const Scenario& scenario :
       asked ? scenarios : SuggestedScenarios(path)) {
    out.saved_ns[scenario] = out.replayed_ns - replay.Run(FactorsOf(scenario));
  }
  return out;
}

}  // namespace dltap::analyzer
