// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/step_lines.h"

#include <algorithm>
#include <vector>

#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

// "9 warm-up, 4 autotune left out"; empty when nothing is.
std::string LeftOutText(const StepFigures& steps) {
  std::vector<std::string> out;
  for (size_t use = 0; use < kStepUses; ++use) {
    if (steps.left_out[use] == 0) continue;
    out.push_back(std::to_string(steps.left_out[use]) + " " +
                  Spoken(Name(static_cast<StepUse>(use))));
  }
  return out.empty() ? "" : Join(out, ", ") + " left out";
}

// Two loops, one in the other, and no input or output tells which is meant.
std::string OtherReading(const StepFigures& steps) {
  return "or " + std::to_string(*steps.other_count) +
         (*steps.other_count > steps.found
              ? ", if the loop inside them is meant"
              : ", if the loop around them is meant");
}

// Code that is loaded in many steps was compiled in them.
std::string ModuleLoads(const StepFigures& steps) {
  return "modules were loaded in " + std::to_string(steps.with_module_loads) +
         " of " + Count(steps.used, "used step");
}

// Why steps were not used, and whose are missing.
std::string StepNotes(const StepFigures& steps) {
  std::vector<std::string> notes;
  const std::string left_out = LeftOutText(steps);
  if (!left_out.empty()) notes.push_back(left_out);
  notes.push_back(steps.found_by == StepsFoundBy::kMarker ? "found by markers"
                                                          : "found by period");
  if (steps.other_count) notes.push_back(OtherReading(steps));
  if (steps.loads_modules_often) notes.push_back(ModuleLoads(steps));
  if (steps.processes_without > 0) {
    notes.push_back("none in " + Count(steps.processes_without, "process"));
  }
  return Join(notes, "; ");
}

// Passes forward of which nothing tells the weights, and so whether these come
// again: neither addresses nor modules.
bool MayBeLayers(const Summary& summary, const Figures& figures) {
  const auto at = [&](Phase phase) {
    return figures.program.phases_step_ns[static_cast<size_t>(phase)];
  };
  return figures.steps.found_by == StepsFoundBy::kPeriod &&
         summary.formats.contains(SourceFormat::kKineto) &&
         at(Phase::kBackward) == 0 && at(Phase::kUpdate) == 0 &&
         std::ranges::none_of(figures.totals.seen_frames.all,
                              [](uint64_t looks) { return looks > 0; });
}

std::string FoundText(const StepFigures& steps) {
  const std::string of =
      steps.processes > 1 ? " of " + Count(steps.processes, "process") : "";
  return Count(steps.found, "step") + of + ", " + std::to_string(steps.used) +
         " used (" + StepNotes(steps) + ")";
}

std::string SelectedPart(const Summary& summary) {
  const auto& window = summary.selection.window;
  if (!window) return "the whole run is one window: all times are over it";
  return "all times are over the window from " +
         Ms(static_cast<double>(window->begin_ns)) + " to " +
         Ms(static_cast<double>(window->end_ns)) + " ms of the run's " +
         Ms(static_cast<double>(summary.end_ns)) + " ms";
}

std::string CoverageText(const Coverage& coverage) {
  if (!coverage.share) return "";
  return "; covers " + PercentText(coverage.share) +
         " of the GPU time in the trace";
}

std::string WithoutDevices(const Summary& summary, const Figures& figures) {
  if (figures.coverage.outside_gpu_ns == 0) {
    return "the trace holds no GPU work; nothing to attribute";
  }
  if (summary.outside.not_selected_ns() == figures.coverage.outside_gpu_ns) {
    return "the selection holds no GPU work; nothing to attribute";
  }
  return Count(figures.steps.found, "step") + ", none used (" +
         StepNotes(figures.steps) +
         "): nothing to attribute; --window all takes the whole run";
}

}  // namespace

std::string Spoken(std::string_view reason) {
  if (reason == Name(StepUse::kWarmUp)) return "warm-up";
  std::string text(reason);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::vector<std::string> SpokenReasons(const std::vector<std::string>& names) {
  std::vector<std::string> spoken;
  for (const std::string& name : names) spoken.push_back(Spoken(name));
  return spoken;
}

std::string StepsText(const Summary& summary, const Figures& figures) {
  if (figures.devices.empty()) return WithoutDevices(summary, figures);
  const Selection& selection = summary.selection;
  std::string text;
  if (selection.whole_run || selection.window) {
    text = SelectedPart(summary);
  } else if (figures.steps.found_by == StepsFoundBy::kNone) {
    text = "no steps found: all times are over the whole run";
  } else {
    text = FoundText(figures.steps);
    if (MayBeLayers(summary, figures)) {
      text +=
          "; layers that are alike may count as steps, for the trace does not "
          "tell their weights (with_stack=True does; prof.step() marks steps)";
    }
  }
  return text + CoverageText(figures.coverage);
}

}  // namespace dltap::analyzer
