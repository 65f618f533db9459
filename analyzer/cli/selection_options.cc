// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/selection_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kDots = "..";

template <typename T>
std::optional<T> NumberOf(std::string_view text) {
  T value{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

struct Unit {
  std::string_view name;
  double ns;
};
// "s" last: the others end with it.
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

// The unit at the end of `text`, which is cut off; nullptr without one.
const Unit* TakeUnit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

// "1.5s..2.25s"; a begin without a unit takes that of the end.
std::optional<Interval> IntervalOf(std::string_view text) {
  const size_t dots = text.find(kDots);
  if (dots == std::string_view::npos) return std::nullopt;
  std::string_view begin = text.substr(0, dots);
  std::string_view end = text.substr(dots + kDots.size());
  const Unit* const end_unit = TakeUnit(end);
  const Unit* begin_unit = TakeUnit(begin);
  if (begin_unit == nullptr) begin_unit = end_unit;
  const auto from = NumberOf<double>(begin);
  const auto to = NumberOf<double>(end);
  if (!from || !to || end_unit == nullptr) return std::nullopt;
  const double begin_ns = *from * begin_unit->ns;
  const double end_ns = *to * end_unit->ns;
  const bool fits = begin_ns >= 0 && begin_ns < end_ns && end_ns < 1e18;
  if (!fits) return std::nullopt;
  return Interval{std::llround(begin_ns), std::llround(end_ns)};
}

absl::Status Lacks(const std::string& option, const std::string& wanted,
                   const std::set<std::string>& has) {
  return absl::InvalidArgumentError(
      option + ": the trace has no " + wanted +
      (has.empty() ? "" : "; it has " + absl::StrJoin(has, ", ")));
}

absl::Status CheckProcesses(const Selection& selection,
                            const TraceModel& model) {
  std::set<std::string> ranks, processes;
  bool has_rank = !selection.rank;
  bool has_process = !selection.process;
  for (const Process& process : model.processes) {
    Selection only = selection;
    only.rank.reset();
    has_process = has_process || Selects(only, process);
    has_rank = has_rank || process.rank == selection.rank;
    if (process.rank) ranks.insert(absl::StrCat(*process.rank));
    processes.insert(absl::StrCat(process.host, ":", process.pid));
  }
  if (!has_rank) {
    return Lacks("--rank", absl::StrCat("rank ", *selection.rank), ranks);
  }
  if (!has_process) {
    return Lacks("--process", absl::StrCat("process ", *selection.process),
                 processes);
  }
  return absl::OkStatus();
}

absl::Status CheckDevices(const Selection& selection, const TraceModel& model) {
  std::set<std::string> devices;
  for (const Process& process : model.processes) {
    for (const Device& device : process.devices) {
      if (Selects(selection, device)) return absl::OkStatus();
      devices.insert(device.uuid.empty() ? absl::StrCat(device.ordinal)
                                         : absl::StrCat(device.ordinal, " (",
                                                        device.uuid, ")"));
    }
  }
  if (!selection.device) return absl::OkStatus();
  return Lacks("--device", absl::StrCat("device ", *selection.device), devices);
}

absl::Status BadValue(const std::string& option, const std::string& wants,
                      const std::string& text) {
  return absl::InvalidArgumentError(option + " wants " + wants + ", not \"" +
                                    text + "\"");
}

// As --window takes it.
std::string InSeconds(int64_t ns) {
  return absl::StrCat(static_cast<double>(ns) * 1e-9, "s");
}

// The first moment is there even of a run without length.
absl::Status CheckWindow(const Selection& selection, int64_t run_ns) {
  if (!selection.window ||
      selection.window->begin_ns < std::max<int64_t>(run_ns, 1)) {
    return absl::OkStatus();
  }
  return Lacks("--window", "moment at " + InSeconds(selection.window->begin_ns),
               {"0s.." + InSeconds(run_ns)});
}

// A script's variable that was never set selects nothing.
std::string NotEmpty(const std::string& text) {
  return text.empty() ? "wants a value, not an empty one" : "";
}

std::optional<std::string> TextOf(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::optional<std::pair<size_t, size_t>> StepRange(std::string_view text) {
  const size_t dots = text.find(kDots);
  const auto first = NumberOf<size_t>(text.substr(0, dots));
  const auto last = dots == std::string_view::npos
                        ? first
                        : NumberOf<size_t>(text.substr(dots + kDots.size()));
  if (!first || !last || *first > *last) return std::nullopt;
  return std::pair(*first, *last);
}

void AddProcessOptions(CLI::App& app, SelectionOptions& options) {
  app.add_option("--rank", options.rank, "only the process of this rank")
      ->check(NotEmpty);
  app.add_option("--process", options.process,
                 "only this process: PID or host:pid")
      ->check(NotEmpty);
}

void AddPartOptions(CLI::App& app, SelectionOptions& options) {
  app.add_option("--window", options.window,
                 "all: the whole run, no steps; A..B: a part of it, such "
                 "as 1.5s..2.25s of the trace's time line")
      ->check(NotEmpty);
  app.add_option("--device", options.device,
                 "only this device: its number, or the begin of its UUID")
      ->check(NotEmpty);
  AddProcessOptions(app, options);
}

void AddSelectionOptions(CLI::App& app, SelectionOptions& options) {
  AddPartOptions(app, options);
  CLI::Option* const window = app.get_option("--window");
  CLI::Option* const steps =
      app.add_option("--steps", options.steps,
                     "only these steps, counted from 0 as found: A..B or one")
          ->check(NotEmpty)
          ->excludes(window);
  app.add_option("--warmup", options.warm_up,
                 "leave out the first N steps, instead of slow first ones")
      ->check(CLI::Range(0, 1'000'000'000))
      ->excludes(window)
      ->excludes(steps);
}

absl::StatusOr<Selection> ParseSelection(const SelectionOptions& options,
                                         const TraceModel& model) {
  Selection selection{.whole_run = options.window == "all",
                      .window = IntervalOf(options.window),
                      .steps = StepRange(options.steps),
                      .warm_up = options.warm_up,
                      .device = TextOf(options.device),
                      .rank = options.rank,
                      .process = TextOf(options.process)};
  if (!options.window.empty() && !selection.whole_run && !selection.window) {
    return BadValue("--window", "all, or a begin before an end with units",
                    options.window);
  }
  if (!options.steps.empty() && !selection.steps) {
    return BadValue("--steps", "A..B with A <= B, or one number",
                    options.steps);
  }
  if (absl::Status s = CheckProcesses(selection, model); !s.ok()) return s;
  if (absl::Status s = CheckDevices(selection, model); !s.ok()) return s;
  return selection;
}

absl::Status CheckWindow(const Selection& selection, const TraceModel& model) {
  int64_t run_ns = 0;
  for (const Process& process : model.processes) {
    run_ns = std::max(run_ns, process.end_ns);
  }
  return CheckWindow(selection, run_ns);
}

absl::Status CheckParts(const Selection& selection, const Summary& summary) {
  if (absl::Status s = CheckWindow(selection, summary.end_ns); !s.ok()) {
    return s;
  }
  if (!selection.steps) return absl::OkStatus();
  uint64_t most = 0;
  for (const ProcessSummary& process : summary.processes) {
    if (process.has_gpu_work) most = std::max(most, process.steps.found());
  }
  const auto [first, last] = *selection.steps;
  if (first < most) return absl::OkStatus();
  if (most == 0) {
    return absl::InvalidArgumentError(
        "--steps: no steps were found; --window takes a part of the run");
  }
  const std::string has = most == 1 ? "0" : absl::StrCat("0..", most - 1);
  return Lacks("--steps",
               first == last ? absl::StrCat("step ", first)
                             : absl::StrCat("steps ", first, "..", last),
               {has});
}

void KeepSelected(const Selection& selection, TraceModel& model) {
  std::erase_if(model.processes, [&selection](const Process& process) {
    return !Selects(selection, process);
  });
}

}  // namespace dltap::analyzer
