// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/text_report.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/command_line.h"
#include "analyzer/reports/detail_tables.h"
#include "analyzer/reports/limit_sentence.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

const std::string kBold = "\033[1m";  // ECMA-48 SGR
const std::string kPlain = "\033[0m";

std::string Join(const std::vector<std::string>& parts,
                 const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string Count(size_t n, std::string_view noun) {
  return WithThousands(static_cast<int64_t>(n)) + " " + std::string(noun) +
         (n == 1                                        ? ""
          : noun.ends_with("s") || noun.ends_with("ch") ? "es"
                                                        : "s");
}

// Breaks at spaces, and words that are wider, so that no line is wider than
// the page.
std::string Wrap(const std::string& text, const std::string& indent) {
  std::string out;
  std::string line(std::min(text.find_first_not_of(' '), text.size()), ' ');
  for (size_t at = line.size(); at < text.size();) {
    const size_t space = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, space - at);
    while (DisplayWidth(indent) + DisplayWidth(word) > kPageWidth) {
      if (!line.empty()) out += line + '\n';
      line.clear();
      const size_t cut = ByteOfColumn(word, kPageWidth - indent.size());
      out += indent + word.substr(0, cut) + '\n';
      word.erase(0, cut);
    }
    if (DisplayWidth(line) + 1 + DisplayWidth(word) > kPageWidth) {
      out += line + '\n';
      line = indent + word;
    } else {
      line += (line.empty() || line.back() == ' ' ? "" : " ") + word;
    }
    at = space + 1;
  }
  return out + line + '\n';
}

std::string Header(const Summary& summary, const Figures& figures) {
  const ProgramFigures& program = figures.program;
  std::vector<std::string> parts;
  std::string command = CommandsText(summary);
  if (!command.empty()) parts.push_back(std::move(command));
  parts.push_back(Count(program.processes, "process"));
  for (const auto& [name, count] : program.gpus) {
    const std::string n =
        figures.devices.size() > 1 ? std::to_string(count) + " x " : "";
    parts.push_back(n + (name.empty() ? "unknown GPU" : Printable(name)) +
                    (summary.simulated ? " (simulated)" : ""));
  }
  if (!program.frameworks.empty()) {
    parts.push_back(Printable(Join(program.frameworks, ", ")));
  }
  return Wrap(Join(parts, " · "), "  ");
}

// Why steps were not used, and whose are missing.
std::string StepNotes(const StepFigures& steps) {
  constexpr std::string_view kReasons[] = {
      "", "warm-up", "autotune", "evaluation", "incomplete", "delayed"};
  std::vector<std::string> out;
  for (size_t use = 1; use < std::size(kReasons); ++use) {
    if (steps.left_out[use] == 0) continue;
    out.push_back(std::to_string(steps.left_out[use]) + " " +
                  std::string(kReasons[use]));
  }
  std::vector<std::string> notes;
  if (!out.empty()) notes.push_back(Join(out, ", ") + " left out");
  notes.push_back(steps.found_by == StepsFoundBy::kMarker ? "found by markers"
                                                          : "found by period");
  if (steps.processes_without > 0) {
    notes.push_back("none in " + Count(steps.processes_without, "process") +
                    ": the whole run counts");
  }
  return Join(notes, "; ");
}

std::string StepsLine(const StepFigures& steps) {
  if (steps.found_by == StepsFoundBy::kNone) {
    return "no steps found: all times are over the whole run\n";
  }
  const std::string of =
      steps.processes > 1 ? " of " + Count(steps.processes, "process") : "";
  return Wrap(Count(steps.found, "step") + of + ", " +
                  std::to_string(steps.used) + " used (" + StepNotes(steps) +
                  ")",
              "  ");
}

std::string StepLine(const Figures& figures, const ReportOptions& options) {
  const ProgramFigures& program = figures.program;
  std::string line;
  if (figures.steps.mean_ns) {
    line = "step " + Ms(*figures.steps.mean_ns) + " ms ± " +
           Ms(*figures.steps.stddev_ns) + "    ";
  } else if (program.longest_wall_ns) {
    line =
        "run " + Ms(static_cast<double>(*program.longest_wall_ns)) + " ms    ";
  }
  line += "GPU " + PercentText(program.utilization) + "    CPU-dependent " +
          PercentText(program.cpu_dependency);
  if (program.comm_share.value_or(0) > 0) {
    line += "    exposed comm " + PercentText(program.comm_share);
  }
  if (program.samples_per_s) {
    line += "    " + Fixed(*program.samples_per_s, 0) + " " +
            options.samples_unit + "/s";
  }
  return line + '\n';
}

std::string HostLine(const ProgramFigures& program) {
  std::vector<std::string> parts;
  if (program.cpu_utilization) {
    parts.push_back("CPU " + PercentText(program.cpu_utilization) +
                    " of its cores");
  }
  if (program.queue_empty_share) {
    parts.push_back("at a launch " + Fixed(*program.queue_unfinished, 1) +
                    " activities unfinished, queue empty for " +
                    PercentText(program.queue_empty_share));
  }
  return parts.empty() ? "" : Wrap("  " + Join(parts, "    "), "    ");
}

std::string SensitivityText(const Figures& figures) {
  constexpr std::string_view kWhy[] = {"", "no library call to delay",
                                       "no step within one window",
                                       "too few windows"};
  std::string text;
  for (const Sensitivity& row : figures.sensitivity) {
    const std::string name = "  " + std::string(Name(row.layer_class)) + " ";
    if (!row.value) {
      text += name + "not measured: " +
              std::string(kWhy[static_cast<size_t>(row.why)]) + "\n";
      continue;
    }
    text += name + Fixed(*row.value, 2) + " (" + Fixed(*row.low, 2) + " to " +
            Fixed(*row.high, 2) + ")  " + Count(row.windows, "window") + ", " +
            Count(row.steps, "step") + ", " + Fixed(*row.calls_per_step, 1) +
            " calls a step\n";
  }
  return text.empty() ? ""
                      : "sensitivity of the step to host time before library "
                        "calls (0 hidden, 1 exposed)\n" +
                            text + "\n";
}

std::string PhaseLine(const Figures& figures) {
  constexpr Phase kOrder[] = {
      Phase::kForward, Phase::kBackward, Phase::kUpdate,   Phase::kComm,
      Phase::kH2d,     Phase::kIo,       Phase::kAutotune, Phase::kOther};
  std::string line = " ";
  for (const Phase phase : kOrder) {
    const double ns =
        figures.program.phases_step_ns[static_cast<size_t>(phase)];
    if (phase == Phase::kAutotune && ns == 0) continue;
    line += " " + std::string(Name(phase)) + " " + Ms(ns) + "  ";
  }
  return line + "ms\n";
}

std::string IdleLine(const ProgramFigures& program) {
  const auto& idle = program.idle_by_cause_step_ns;
  std::vector<size_t> order;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (idle[i] > 0) order.push_back(i);
  }
  if (order.empty()) return "";
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return idle[a] > idle[b]; });
  std::vector<std::string> parts;
  for (const size_t i : order) {
    const IdleCause cause = static_cast<IdleCause>(i);
    const std::string device = IsHostCause(cause) ? "" : "device ";
    parts.push_back(device + std::string(Name(cause)) + " " + Ms(idle[i]));
  }
  return Wrap(
      "  idle " + Ms(program.idle_step_ns) + " ms: " + Join(parts, " · "),
      "    ");
}

// "api arguments 21.7 %, kernel name 21.8 %"; the evidence that was there.
std::string Evidence(const TrustFigures& trust) {
  std::vector<std::string> from;
  for (size_t i = 0; i < static_cast<size_t>(ClassFrom::kNone); ++i) {
    if (trust.class_from_share[i].value_or(0) <= 0) continue;
    std::string name(Name(static_cast<ClassFrom>(i)));
    std::replace(name.begin(), name.end(), '_', ' ');
    from.push_back(name + " " + PercentText(trust.class_from_share[i]));
  }
  return from.empty() ? "" : " (" + Join(from, ", ") + ")";
}

std::string Joins(const TrustFigures& trust) {
  if (trust.launches_without_kernel == 0 && trust.kernels_without_launch == 0) {
    return "every launch has its kernel";
  }
  return Count(trust.launches_without_kernel, "launch") + " without kernel, " +
         Count(trust.kernels_without_launch, "kernel") + " without launch";
}

// What CUPTI costs is known only where it was off for a while.
std::string OwnCost(const TrustFigures& trust) {
  std::string text = trust.overhead_ns
                         ? "own cost: wrappers " +
                               Ms(static_cast<double>(*trust.overhead_ns)) +
                               " ms in all, subtracted"
                         : "own cost unknown";
  if (trust.source_overhead_ns) {
    text += "; CUPTI " + Ms(static_cast<double>(*trust.source_overhead_ns)) +
            " ms, not subtracted";
  } else if (trust.recorded_launches > 0) {
    text += "; CUPTI's not measured (" +
            Count(trust.recorded_launches, "launch") + ")";
  }
  return text;
}

std::string Trust(const TrustFigures& trust) {
  std::vector<std::string> parts;
  parts.push_back(Count(trust.lost_records, "record") + " lost");
  for (const auto& [cause, count] : trust.lost) {
    if (count == 0) continue;
    parts.push_back(cause + " " + WithThousands(static_cast<int64_t>(count)));
  }
  parts.push_back(PercentText(trust.classified_share) +
                  " of GPU time classified" + Evidence(trust));
  parts.push_back("FLOPs known for " + PercentText(trust.flops_known_share, 0) +
                  " of GPU time");
  parts.push_back(Joins(trust));
  if (trust.composite_ns > 0) {
    parts.push_back(Ms(static_cast<double>(trust.composite_ns)) +
                    " ms regrouped (--no-composite undoes it)");
  }
  if (trust.not_observed_ns > 0) {
    parts.push_back(Ms(static_cast<double>(trust.not_observed_ns)) +
                    " ms not observed");
  }
  parts.push_back(OwnCost(trust));
  parts.push_back(
      "clocks ±" +
      Fixed(static_cast<double>(trust.clock_residual_ns) * kUsPerNs, 1) +
      " us");
  parts.push_back("level " + trust.level +
                  (trust.level_reason.empty()
                       ? ""
                       : " (" + Printable(trust.level_reason) + ")"));
  return Wrap("trust: " + Join(parts, " · "), "  ");
}

Table DetailTable(const Figures& figures, ReportBy by,
                  const ReportOptions& options) {
  switch (by) {
    case ReportBy::kApi: return ApiTable(figures, options);
    case ReportBy::kKernel: return KernelTable(figures, options);
    case ReportBy::kOp: return OpTable(figures, options);
    case ReportBy::kStep: return StepTable(figures, true);
    case ReportBy::kClass: break;
  }
  return {};
}

Table TextTable(const Figures& figures, ReportBy by,
                const ReportOptions& options) {
  if (by == ReportBy::kClass) return ClassTable(figures, options);
  if (by == ReportBy::kStep) {
    return StepTable(figures, figures.devices.size() > 1);
  }
  return DetailTable(figures, by, options);
}

}  // namespace

std::string CsvReport(const Figures& figures, ReportBy by,
                      const ReportOptions& options) {
  return RenderCsv(by == ReportBy::kClass ? TidyClassTable(figures)
                                          : DetailTable(figures, by, options));
}

std::string TextReport(const Summary& summary, const Figures& figures,
                       ReportBy by, const ReportOptions& options) {
  std::string text = Header(summary, figures);
  if (figures.devices.empty()) {
    return text + "the trace holds no GPU work; nothing to attribute\n\n" +
           RenderText(ApiTable(figures, options)) + "\n" + Trust(figures.trust);
  }
  if (figures.has_delays) {
    text += Wrap(
        "a run with delays before library calls: step times include "
        "them; the tables use only what lies between the delays",
        "  ");
  }
  text += StepsLine(figures.steps) + "\n" + StepLine(figures, options) +
          PhaseLine(figures) + IdleLine(figures.program) +
          HostLine(figures.program) + "\n" + SensitivityText(figures);
  text += RenderText(TextTable(figures, by, options)) + "\n";
  if (figures.devices.size() > 1) {
    text += RenderText(DeviceTable(figures)) + "\n";
  }
  const std::string limit = LimitSentence(figures);
  if (!limit.empty()) {
    const std::string lines = Wrap("limit: " + limit, "  ");
    text += (options.color ? kBold + lines + kPlain : lines) + "\n";
  }
  return text + Trust(figures.trust);
}

}  // namespace dltap::analyzer
