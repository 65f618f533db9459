// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/saving.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr double kLeastOfProducts = 0.05;  // of the step

double PartOf(double part, double whole) {
  return whole > 0 ? std::min(1.0, part / whole) : 0;
}

}  // namespace

double WaitedFor(const Facts& facts, std::span<const LayerClass> classes) {
  double path_ns = 0;
  double gpu_ns = 0;
  for (const DeviceSummary& device : facts.summary.devices) {
    for (const LayerClass c : classes) {
      path_ns += static_cast<double>(device.path.of(c));
      gpu_ns +=
          static_cast<double>(device.classes[static_cast<size_t>(c)].gpu_ns);
    }
  }
  return PartOf(path_ns, gpu_ns);
}

double WaitedFor(const Facts& facts, LayerClass layer_class) {
  return WaitedFor(facts, std::span(&layer_class, 1));
}

double WaitedFor(const Facts& facts, Direction direction) {
  const auto of_direction = static_cast<size_t>(direction);
  double path_ns = 0;
  double gpu_ns = 0;
  for (const DeviceSummary& device : facts.summary.devices) {
    for (const auto& of_class : device.path.work_ns) {
      path_ns += static_cast<double>(of_class[of_direction]);
    }
    for (const ClassSummary& of_class : device.classes) {
      gpu_ns += static_cast<double>(of_class.direction_ns[of_direction]);
    }
  }
  return PartOf(path_ns, gpu_ns);
}

double WaitedFor(const Facts& facts) {
  double path_ns = 0;
  double gpu_ns = 0;
  for (const DeviceSummary& device : facts.summary.devices) {
    for (size_t c = 0; c < kClassCount; ++c) {
      path_ns +=
          static_cast<double>(device.path.of(static_cast<LayerClass>(c)));
      gpu_ns += static_cast<double>(device.classes[c].gpu_ns);
    }
  }
  return PartOf(path_ns, gpu_ns);
}

std::optional<double> MemoryInUse(const Facts& facts) {
  std::optional<double> most;
  for (const DeviceMemoryFigures& device : facts.figures.memory.devices) {
    if (!device.peak_share || device.sums->is_least) return std::nullopt;
    most = std::max(most.value_or(0), *device.peak_share);
  }
  return most;
}

double PassesNs(const Facts& facts, std::span<const LayerClass> classes) {
  double ns = 0;
  for (const LayerClass c : classes) {
    const ClassSummary& sums = facts.totals.classes[static_cast<size_t>(c)];
    ns += facts.Step(sums.gpu_ns - sums.of(Direction::kUpdate));
  }
  return ns;
}

Advice SavingOf(const Facts& facts, const AvoidableSums& work,
                double waited_for) {
  const double ns = facts.Step(work.ns);
  Advice advice;
  advice.evidence.count = facts.Step(work.count);
  advice.evidence.ns = ns;
  advice.evidence.share = facts.ShareOfStep(ns);
  advice.evidence.steps_seen = work.windows;
  advice.gain_low_ns =
      std::max(0.0, (ns - facts.Step(work.worst_ns)) * waited_for);
  advice.gain_high_ns =
      std::max(advice.gain_low_ns, ns - facts.Step(work.best_ns));
  advice.basis = GainBasis::kModel;
  return advice;
}

void SaveBeside(const Facts& facts, double beside_ns, Advice& advice) {
  advice.gain_high_ns = std::min(
      advice.gain_high_ns + std::max(0.0, beside_ns - advice.evidence.ns),
      facts.step_ns);
}

std::optional<Advice> SavingOfProducts(const Facts& facts, Avoidable kind,
                                       double beside_ns) {
  const AvoidableSums& work = facts.totals.avoidable.of(kind);
  if (facts.ShareOfStep(facts.Step(work.ns)) < kLeastOfProducts) return {};
  Advice advice = SavingOf(facts, work, WaitedFor(facts, LayerClass::kGemm));
  SaveBeside(facts, beside_ns, advice);
  advice.layer_class = LayerClass::kGemm;
  advice.claims.With(LayerClass::kGemm);
  advice.claimed_ns = advice.gain_high_ns;
  return advice;
}

double WorkAndIdleNs(const Facts& facts) {
  return facts.Step(facts.totals.all.gpu_ns) +
         facts.Step(facts.totals.in(DeviceState::kIdle));
}

}  // namespace dltap::analyzer
