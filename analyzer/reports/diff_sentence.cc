// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/diff_sentence.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "analyzer/reports/change_text.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShownNs = 5'000;    // 0.01 ms
constexpr double kLeastShownCount = 0.05;  // 0.1 a step
constexpr double kLeastMemory = 0.01;      // of the peak
constexpr size_t kMostLayers = 2;

std::string CountOf(double value) {
  const bool whole = std::abs(value - std::round(value)) < kLeastShownCount;
  return Fixed(std::abs(value), whole ? 0 : 1);
}

// "24 more kernels", "1 fewer sync"; empty: as many.
std::string MoreOrFewer(const Difference& difference, std::string_view name,
                        const std::string& one, const std::string& many) {
  const QuantityChange* found = difference.Find(name);
  const double change = found == nullptr ? 0 : found->change.change.value_or(0);
  if (std::abs(change) < kLeastShownCount) return "";
  const std::string number = CountOf(change);
  return number + (change > 0 ? " more " : " fewer ") +
         (number == "1" ? one : many);
}

void AddIfAny(std::string text, std::vector<std::string>& parts) {
  if (!text.empty()) parts.push_back(std::move(text));
}

std::string MemoryOf(const Difference& difference) {
  for (const char* name : {"peak_memory", "peak_tensors"}) {
    const QuantityChange* found = difference.Find(name);
    if (found == nullptr || !found->change.change) continue;
    const Change& change = found->change;
    if (std::abs(change.relative.value_or(0)) < kLeastMemory) return "";
    return SignedMib(*change.change) + " peak memory";
  }
  return "";
}

bool Has(const Difference& difference, Obstacle obstacle) {
  const std::vector<NotComparable>& all = difference.obstacles;
  return std::any_of(all.begin(), all.end(), [obstacle](const auto& one) {
    return one.obstacle == obstacle;
  });
}

void AddLayers(const Difference& difference, std::vector<std::string>& parts) {
  if (!difference.named_alike) return;
  if (Has(difference, Obstacle::kLayers)) return;
  size_t said = 0;
  for (const RowChange& row : difference.by(DifferenceBy::kLayer)) {
    const double change = row.count.change.value_or(0);
    if (!row.layer_class || change == 0) continue;
    if (++said > kMostLayers) return;
    const std::string number = CountOf(change);
    parts.push_back(number + (change > 0 ? " more" : " fewer") +
                    (number == "1" ? " layer " : " layers ") +
                    Printable(row.name));
  }
}

// What else changed: counted, so no noise.
std::vector<std::string> CountChanges(const Difference& difference) {
  std::vector<std::string> parts;
  std::string kernels = MoreOrFewer(difference, "kernels", "kernel", "kernels");
  const std::string launches =
      MoreOrFewer(difference, "launches", "kernel", "kernels");
  const bool same = kernels == launches;
  AddIfAny(std::move(kernels), parts);
  if (!same) {
    AddIfAny(MoreOrFewer(difference, "launches", "launch", "launches"), parts);
  }
  AddIfAny(MoreOrFewer(difference, "syncs", "sync", "syncs"), parts);
  AddIfAny(MoreOrFewer(difference, "copies", "copy", "copies"), parts);
  AddIfAny(MemoryOf(difference), parts);
  AddLayers(difference, parts);
  return parts;
}

std::string Lengths(const Difference& difference) {
  const Change& step = difference.step;
  std::string text = "(" + Ms(*step.base) + " -> " + Ms(*step.now) + " ms";
  if (const auto margin = step.margin(); margin && *margin > 0) {
    text += ", ±" + Ms(*margin);
  }
  return text + ")";
}

// All parts add up to the change of the step.
std::vector<std::string> Parts(const Difference& difference) {
  std::vector<std::string> leading;
  for (size_t i = 0; i < difference.leading; ++i) {
    const PartChange& part = difference.parts[i];
    std::string text =
        PartText(part.key) + " " + SignedMs(*part.ns.change) + " ms";
    if (!part.now_precision.empty()) {
      text += " (" + part.base_precision + " -> " + part.now_precision + ")";
    }
    leading.push_back(std::move(text));
  }
  std::vector<std::string> parts;
  AddIfAny(Join(leading, ", "), parts);
  for (std::string& count : CountChanges(difference)) {
    parts.push_back(std::move(count));
  }
  if (std::abs(difference.rest_ns) >= kLeastShownNs) {
    parts.push_back(SignedMs(difference.rest_ns) + " ms in " +
                    (leading.empty() ? "small parts" : "smaller parts"));
  }
  if (std::abs(difference.unexplained_ns) >= kLeastShownNs) {
    parts.push_back(SignedMs(difference.unexplained_ns) + " ms unexplained");
  }
  return parts;
}

std::string Sides(const NotComparable& obstacle) {
  return Printable(obstacle.base) + " against " + Printable(obstacle.now);
}

std::string LossText(const NotComparable& obstacle) {
  std::string text = "the trace of ";
  if (!obstacle.base.empty()) text += "BASE is incomplete: " + obstacle.base;
  if (!obstacle.base.empty() && !obstacle.now.empty()) text += "; that of ";
  if (!obstacle.now.empty()) text += "NEW is incomplete: " + obstacle.now;
  return text;
}

}  // namespace

std::string PartText(const SeriesKey& key) {
  switch (key.kind) {
    case SeriesKind::kIdle:
      return "idle " + std::string(Name(static_cast<IdleCause>(key.index)));
    case SeriesKind::kPhase:
      return std::string(Name(static_cast<Phase>(key.index)));
    case SeriesKind::kNotObserved: return "not observed";
    default: break;
  }
  std::string text = DisplayName(static_cast<LayerClass>(key.index));
  const std::string_view pass = Name(key.pass);
  return pass.empty() ? text : text + " " + std::string(pass);
}

std::string ObstacleText(const NotComparable& obstacle) {
  switch (obstacle.obstacle) {
    case Obstacle::kNoGpuWork:
      return "work of a GPU in BASE: " + obstacle.base +
             ", in NEW: " + obstacle.now;
    case Obstacle::kGpu: return "other GPUs: " + Sides(obstacle);
    case Obstacle::kSimulated:
      return "one GPU is simulated: " + Sides(obstacle);
    case Obstacle::kClock:
      return "other clocks of the host: " + Sides(obstacle);
    case Obstacle::kLevel: return "other levels: " + Sides(obstacle);
    case Obstacle::kLosses: return LossText(obstacle);
    case Obstacle::kSteps:
      return "steps were found in one of them only (" + Sides(obstacle) +
             "); --window all compares the runs";
    case Obstacle::kFewSteps:
      return "fewer steps than --min-steps asks for: " + Sides(obstacle);
    case Obstacle::kStepUnit:
      return "steps were told " + Sides(obstacle) + ", and one of NEW has " +
             PercentText(obstacle.share) +
             " of the kernels of one of BASE; --window all compares the runs";
    case Obstacle::kDevices:
      return "no steps, and other numbers of devices: " + Sides(obstacle);
    case Obstacle::kShapes:
      return "other sizes: a call of the same layer computes " +
             PercentText(obstacle.share) + " of BASE's";
    case Obstacle::kLayers:
      return "other layers or sizes: both have only " +
             PercentText(obstacle.share) + " of the layers' GPU time";
    case Obstacle::kNoTimes:
      return "times other than 0 of the kernels in BASE: " + obstacle.base +
             ", in NEW: " + obstacle.now + "; only what was counted compares";
  }
  return "";
}

std::string DiffSentence(const Difference& difference) {
  const Change& step = difference.step;
  const std::string unit = difference.by_steps ? "step" : "run";
  if (!step.change) return unit + " time is unknown";
  const std::string counts = Join(CountChanges(difference), "; ");
  if (Has(difference, Obstacle::kNoTimes)) {
    return unit + " can't be compared: kernels have no times" +
           (counts.empty() ? "" : "; " + counts);
  }
  if (!step.differs()) {
    return "no change: " + unit + " " + Ms(*step.now) + " ms" +
           (counts.empty() ? "" : "; " + counts);
  }
  if (!step.is_significant()) {
    return unit + " within noise: " + RelativeText(step) + " " +
           Lengths(difference) + (counts.empty() ? "" : "; " + counts);
  }
  const std::string parts = Join(Parts(difference), "; ");
  return unit + " " + RelativeText(step) + " " + Lengths(difference) +
         (parts.empty() ? "" : ": " + parts) +
         (step.interval ? "" : "; too few steps to tell noise");
}

}  // namespace dltap::analyzer
