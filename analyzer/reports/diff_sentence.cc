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

void AddLayers(const Difference& difference, std::vector<std::string>& parts) {
  if (!difference.named_alike) return;
  if (difference.Has(Unlikeness::kLayers)) return;
  if (difference.Has(Unlikeness::kFused)) return;
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
  std::string text = "(" + Ms(step.base.value_or(0)) + " -> " +
                     Ms(step.now.value_or(0)) + " ms";
  if (const auto margin = step.margin(); margin && *margin > 0) {
    text += ", ±" + Ms(*margin);
  }
  for (const Unlike& each : difference.unlike) {
    if (!each.step_share) continue;
    text += ", for " + PercentText(each.step_share) + " of the FLOPs";
  }
  return text + ")";
}

// All parts add up to the change of the step.
std::vector<std::string> Parts(const Difference& difference) {
  std::vector<std::string> leading;
  for (size_t i = 0; i < difference.leading; ++i) {
    const PartChange& part = difference.parts[i];
    std::string text =
        PartText(part.key) + " " + SignedMs(part.ns.change.value_or(0)) + " ms";
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

std::string Sides(const Unlike& unlike) {
  return Printable(unlike.base) + " against " + Printable(unlike.now);
}

std::string LossText(const Unlike& unlike) {
  std::string text = "the trace of ";
  if (!unlike.base.empty()) text += "BASE is incomplete: " + unlike.base;
  if (!unlike.base.empty() && !unlike.now.empty()) text += "; that of ";
  if (!unlike.now.empty()) text += "NEW is incomplete: " + unlike.now;
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

std::string UnlikeText(const Unlike& unlike) {
  switch (unlike.what) {
    case Unlikeness::kNoGpuWork:
      return "work of a GPU in BASE: " + unlike.base +
             ", in NEW: " + unlike.now;
    case Unlikeness::kGpu: return "other GPUs: " + Sides(unlike);
    case Unlikeness::kSimulated:
      return "one GPU is simulated: " + Sides(unlike);
    case Unlikeness::kClock:
      return "other clocks of the host: " + Sides(unlike);
    case Unlikeness::kLevel: return "other levels: " + Sides(unlike);
    case Unlikeness::kLosses: return LossText(unlike);
    case Unlikeness::kSteps:
      return "steps were found in one of them only (" + Sides(unlike) +
             "); --window all compares the runs";
    case Unlikeness::kFewSteps:
      return "fewer steps than --min-steps asks for: " + Sides(unlike);
    case Unlikeness::kStepUnit:
      return "steps were told " + Sides(unlike) + ", and one of NEW has " +
             PercentText(unlike.share) +
             " of the kernels of one of BASE; --window all compares the runs";
    case Unlikeness::kDevices:
      return "no steps, and other numbers of devices: " + Sides(unlike);
    case Unlikeness::kShapes:
      return "other sizes: a call of the same layer computes " +
             PercentText(unlike.share) + " of BASE's, a step " +
             PercentText(unlike.step_share);
    case Unlikeness::kLayers:
      return "another model: both have only " + PercentText(unlike.share) +
             " of the layers' GPU time";
    case Unlikeness::kFramework: return "other frameworks: " + Sides(unlike);
    case Unlikeness::kUse: return "other use: " + Sides(unlike);
    case Unlikeness::kFused:
      return "layers run as other operations: " + PercentText(unlike.share) +
             " of their GPU time is in operations that both have";
    case Unlikeness::kPrecision: return "other precision: " + Sides(unlike);
    case Unlikeness::kDeviceCount:
      return "other numbers of devices: " + Sides(unlike) +
             "; numbers are of one of them";
    case Unlikeness::kNoTimes:
      return "times other than 0 of the kernels in BASE: " + unlike.base +
             ", in NEW: " + unlike.now + "; only what was counted compares";
  }
  return "";
}

std::string DiffSentence(const Difference& difference) {
  const Change& step = difference.step;
  const std::string unit = difference.by_steps ? "step" : "run";
  const bool has_times = !difference.Has(Unlikeness::kNoTimes);
  if (!step.change) return unit + " time is unknown";
  const std::string counts = Join(CountChanges(difference), "; ");
  if (!has_times) {
    return unit + " can't be compared: kernels have no times" +
           (counts.empty() ? "" : "; " + counts);
  }
  if (!step.differs()) {
    return "no change: " + unit + " " + Ms(step.now.value_or(0)) + " ms" +
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
