// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/text_report.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/advice/advise.h"
#include "analyzer/reports/advice_text.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/collective_tables.h"
#include "analyzer/reports/command_line.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/detail_tables.h"
#include "analyzer/reports/evidence_tables.h"
#include "analyzer/reports/host_text.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/layer_tables.h"
#include "analyzer/reports/limit_sentence.h"
#include "analyzer/reports/memory_text.h"
#include "analyzer/reports/path_report.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/step_lines.h"
#include "analyzer/reports/step_plot_text.h"
#include "analyzer/reports/traffic_text.h"
#include "analyzer/reports/units.h"
#include "analyzer/reports/warning_text.h"
#include "analyzer/reports/wrap.h"

namespace dltap::analyzer {
namespace {

constexpr double kLeastShownNs = 5'000;  // 0.01 ms; less would print as 0

const std::string kBold = "\033[1m";  // ECMA-48 SGR
const std::string kPlain = "\033[0m";

std::string WrapIfAny(const std::string& text) {
  return text.empty() ? "" : Wrap(text, "    ");
}

// What the program leaves idle. Not of a part of it, nor of a rank alone: other
// ranks have their own GPUs.
std::string GpusInUse(const Summary& summary, const Figures& figures) {
  const size_t used = figures.devices.size();
  const Selection& selection = summary.selection;
  const bool of_a_part =
      selection.device || selection.process || selection.window ||
      summary.outside.left_out.contains(std::string(kDeviceWithoutSteps)) ||
      std::any_of(
          summary.processes.begin(), summary.processes.end(),
          [](const ProcessSummary& p) { return p.key.rank.has_value(); });
  if (of_a_part || used == 0 || used >= summary.visible_gpus.size()) return "";
  return absl::StrCat(used, " of ", summary.visible_gpus.size(),
                      " visible GPUs in use");
}

std::string Header(const Summary& summary, const Figures& figures) {
  const ProgramFigures& program = figures.program;
  std::vector<std::string> parts;
  std::string command = CommandsText(summary);
  if (!command.empty()) parts.push_back(std::move(command));
  parts.push_back(Count(program.processes, "process"));
  for (const auto& [name, count] : program.gpus) {
    const bool is_shared = count.processes > count.devices;
    const std::string n = figures.devices.size() > 1 || is_shared
                              ? std::to_string(count.devices) + " x "
                              : "";
    parts.push_back(
        n + (name.empty() ? "unknown GPU" : Printable(name)) +
        (summary.simulated ? " (simulated)" : "") +
        (is_shared ? " shared by " + Count(count.processes, "process") : ""));
  }
  std::string in_use = GpusInUse(summary, figures);
  if (!in_use.empty()) parts.push_back(std::move(in_use));
  if (!program.frameworks.empty()) {
    parts.push_back(Printable(Join(program.frameworks, ", ")));
  }
  return Wrap(Join(parts, " · "), "  ");
}

std::string StepLine(const Figures& figures, const ReportOptions& options) {
  const ProgramFigures& program = figures.program;
  std::string line;
  if (figures.steps.mean_ns) {
    line = "step " + Ms(*figures.steps.mean_ns) + " ms";
    if (const auto& deviation = figures.steps.stddev_ns) {
      line += " ± " + Ms(*deviation);
    }
    line += "    ";
  } else if (program.longest_wall_ns) {
    line =
        "run " + Ms(static_cast<double>(*program.longest_wall_ns)) + " ms    ";
  }
  line += "GPU " + PercentText(program.utilization) + "    CPU-dependent " +
          PercentText(program.cpu_dependency) +
          (program.has_fixed_costs ? " (by fixed costs)" : "");
  if (program.comm_share.value_or(0) > 0) {
    line += "    exposed comm " + PercentText(program.comm_share);
  }
  if (program.samples_per_s) {
    line += "    " + Fixed(*program.samples_per_s, 0) + " " +
            options.samples_unit + "/s";
  }
  if (const auto& ci = figures.steps.ci95_ns) {
    const std::string mean =
        "mean within " + Ms((*ci)[0]) + " to " + Ms((*ci)[1]) + " ms";
    const bool fits =
        DisplayWidth(line) + 4 + DisplayWidth(mean) <= PageWidth();
    line += (fits ? "    " : "\n  ") + mean;
  }
  return line + '\n';
}

std::string PhaseLine(const Figures& figures) {
  constexpr Phase kOrder[] = {
      Phase::kForward, Phase::kBackward, Phase::kUpdate,   Phase::kComm,
      Phase::kH2d,     Phase::kIo,       Phase::kAutotune, Phase::kOther};
  const std::string indent = "  ";
  std::string text;
  std::string line = indent;
  for (const Phase phase : kOrder) {
    const double ns =
        figures.program.phases_step_ns[static_cast<size_t>(phase)];
    if (phase == Phase::kAutotune && ns == 0) continue;
    const std::string part = std::string(Name(phase)) + " " + Ms(ns);
    // The unit stands at the end.
    if (DisplayWidth(line + part + "  ms") > PageWidth()) {
      text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      line = indent;
    }
    line += part + "   ";
  }
  line.pop_back();
  return text + line + "ms\n";
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
    if (idle[i] < kLeastShownNs && !parts.empty()) break;
    const IdleCause cause = static_cast<IdleCause>(i);
    const std::string device = IsHostCause(cause) ? "" : "device ";
    parts.push_back(device + std::string(Name(cause)) + " " + Ms(idle[i]));
  }
  return Wrap(
      "  idle " + Ms(program.idle_step_ns) + " ms: " + Join(parts, " · "),
      "    ");
}

// What had emptied the queue, and what could be gained without it.
std::string DrainLine(const Figures& figures) {
  const ProgramFigures& program = figures.program;
  if (program.drained_step_ns <= 0) return "";
  const bool has_steps = figures.steps.found_by != StepsFoundBy::kNone;
  const std::string per_step = has_steps ? " a step" : "";
  const DrainRow& most = program.drained_by.front();
  std::string line = "    of it after a wait had emptied the queue " +
                     Ms(program.drained_step_ns) + " (" + Printable(most.name) +
                     ", " + Fixed(most.calls_per_step, 1) +
                     (has_steps ? per_step : " times");
  line += program.drained_by.size() > 1 ? ", and others)" : ")";
  if (program.host_work_ns) {
    line += std::string("; host works ") +
            (program.host_work_is_bound ? "at most " : "") +
            Ms(*program.host_work_ns) + " ms" + per_step + ", GPU " +
            Ms(*program.device_work_ns);
    if (program.wait_gain_ns) {
      line += "; without waits it saves at most " + Ms(*program.wait_gain_ns);
    }
  }
  return Wrap(line, "    ");
}

// What computes in double precision; it is seldom meant.
std::string Fp64Line(const Figures& figures) {
  if (!figures.program.computes_in_fp64) return "";
  const auto ns = [](const ClassRow* row) {
    return row->figures.sums.efficiency.fp64_ns;
  };
  std::vector<const ClassRow*> rows;
  for (const ClassRow& row : figures.classes) {
    if (ns(&row) > 0) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), ns);
  constexpr size_t kMostRows = 3;
  std::vector<std::string> names;
  for (const ClassRow* row : rows) {
    if (names.size() == kMostRows) break;
    names.push_back(DisplayName(row->layer_class));
  }
  const std::string others =
      rows.size() > kMostRows
          ? " and " + Count(rows.size() - kMostRows, "other class")
          : "";
  return Wrap("  FP64: " + PercentText(figures.program.total.fp64_share) +
                  " of the GPU time computes in double precision (" +
                  Join(names, ", ") + others + ")",
              "    ");
}

// Whose turn it was on a GPU of several processes.
std::string SharedLines(const Figures& figures) {
  std::string text;
  for (const DeviceFigures& device : figures.devices) {
    for (const SharedUse& use : device.shared) {
      text += Wrap("  gpu" + std::to_string(device.sums->ordinal) +
                       " is shared: " + ProcessName(use.process) +
                       " uses it for " + PercentText(use.busy_share) +
                       " of the time, only others for " +
                       PercentText(use.others_share),
                   "    ");
    }
  }
  return text;
}

// The operators and frames that ran while the trace tells nothing else.
std::string UnknownLine(const ProgramFigures& program) {
  std::vector<const UnknownRow*> rows;
  for (const UnknownRow& row : program.unknown_in) {
    if (!row.small) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->ns > b->ns; });
  constexpr size_t kMostRows = 3;
  if (rows.size() > kMostRows) rows.resize(kMostRows);
  std::vector<std::string> parts;
  for (const UnknownRow* row : rows) {
    parts.push_back(Printable(row->name) + " " + Ms(row->step_ns) +
                    (row->layer_class
                         ? " before " + DisplayName(*row->layer_class)
                         : " between steps"));
  }
  if (parts.empty()) return "";
  return Wrap("    unknown inside: " + Join(parts, " · "), "    ");
}

std::string_view Phrase(SeenIn in) {
  switch (in) {
    case SeenIn::kInput: return "input in";
    case SeenIn::kWait: return "waits in";
    case SeenIn::kCall: return "calls in";
    default: return "between calls in";
  }
}

// The code that a thread was in while the GPU waited for it.
std::string SeenLines(const ProgramFigures& program) {
  constexpr size_t kMostRows = 3;
  std::string text;
  for (size_t i = 0; i < kSeenIn; ++i) {
    std::vector<std::string> parts;
    uint64_t of = 0;
    for (const SeenRow& row : program.seen_in) {
      if (static_cast<size_t>(row.in) != i || row.small) continue;
      if (parts.size() == kMostRows) break;
      of = row.of;
      parts.push_back(Printable(row.name) + " " + Ms(row.step_ns));
    }
    if (parts.empty()) continue;
    text += Wrap("    " + std::string(Phrase(static_cast<SeenIn>(i))) + ": " +
                     Join(parts, " · ") + " (by " + Count(of, "look") + ")",
                 "      ");
  }
  return text;
}

// What does not tell what limits the step.
std::string Aside(const Figures& figures, ReportBy by,
                  const ReportOptions& options) {
  const bool memory = options.wide || by == ReportBy::kMemory;
  return (options.wide ? WrapIfAny(HostLine(figures.program.host)) : "") +
         (memory ? WrapIfAny(MemoryLine(figures.memory)) : "") +
         (by == ReportBy::kLayer
              ? WrapIfAny(LayerWeightsText(figures.layers.matching))
              : "");
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
    return trust.classified_share ? "every launch has its kernel"
                                  : "no work of a GPU was recorded";
  }
  return Count(trust.launches_without_kernel, "launch") + " without kernel, " +
         Count(trust.kernels_without_launch, "kernel") + " without launch";
}

// Of a process that was killed, or still runs.
std::string CutText(const TrustFigures& trust) {
  const auto ms = [](int64_t ns) { return Ms(static_cast<double>(ns)); };
  const int64_t missing_ns = trust.cut->last_ns - trust.cut->gpu_ns;
  return Count(trust.cut_processes, "process") +
         (trust.cut_processes == 1 ? " without its" : " without their") +
         " end record: calls " + "are held up to " + ms(trust.cut->last_ns) +
         " ms of the run, " +
         (missing_ns > 0
              ? "the GPU's work up to " + ms(trust.cut->gpu_ns) +
                    ", so of the last " + ms(missing_ns) + " ms perhaps not all"
              : "and the GPU's work too");
}

std::string Trust(const TrustFigures& trust) {
  std::vector<std::string> parts;
  parts.push_back(Count(trust.lost_records, "record") + " lost");
  for (const auto& [cause, count] : trust.lost) {
    if (count == 0) continue;
    parts.push_back(cause + " " +
                    (IsLossOfBytes(cause)
                         ? MibText(static_cast<double>(count))
                         : WithThousands(static_cast<int64_t>(count))));
  }
  parts.push_back(PercentText(trust.classified_share) +
                  " of GPU time classified" + Evidence(trust));
  parts.push_back("FLOPs known for " + PercentText(trust.flops_known_share, 0) +
                  " of GPU time, bytes for " +
                  PercentText(trust.bytes_known_share, 0));
  parts.push_back(Joins(trust));
  if (trust.composite_ns > 0) {
    parts.push_back(Ms(static_cast<double>(trust.composite_ns)) +
                    " ms regrouped (--no-composite undoes it)");
  }
  if (trust.not_observed_ns > 0) {
    parts.push_back(Ms(static_cast<double>(trust.not_observed_ns)) +
                    " ms not observed");
  }
  if (trust.cut) parts.push_back(CutText(trust));
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
    case ReportBy::kSite: return SiteTable(figures, options);
    case ReportBy::kStep: return StepTable(figures, true);
    case ReportBy::kEvidence: return ConflictTable(figures, options);
    case ReportBy::kRoofline: return RooflineTable(figures, options);
    case ReportBy::kLongLow: return LongAndLowTable(figures, options);
    case ReportBy::kCollective: return CollectiveTable(figures, options);
    case ReportBy::kMemory: return MemoryTable(figures.memory);
    case ReportBy::kPath: return PathTable(figures);
    case ReportBy::kWhatIf: return WhatIfTable(figures);
    case ReportBy::kLayer: return LayerTextTable(figures, options);
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

std::string SiteNotes(const Figures& figures) {
  std::string text;
  if (figures.sites.empty()) {
    text +=
        "the trace says of no call where it was made; record it with\n"
        "  dltap run --sites native|python, or with_stack of torch.profiler\n";
  }
  for (const std::string& reason : figures.site_reasons) {
    text += Wrap("launch sites: " + Printable(reason), "  ");
  }
  return text.empty() ? text : text + "\n";
}

// What the table of a view leaves to be said.
std::string NotesUnder(ReportBy by, const Figures& figures) {
  switch (by) {
    case ReportBy::kCollective:
      return figures.collectives.rows.empty()
                 ? "nothing was communicated in what is looked at\n\n"
                 : CollectiveNotes(figures);
    case ReportBy::kMemory: {
      std::string text;
      for (const std::string& line : MemoryNotes(figures.memory)) {
        text += Wrap(line, "  ");
      }
      return text.empty() ? text : text + "\n";
    }
    case ReportBy::kLayer: {
      const std::string text = LayerMatchText(figures.layers.matching);
      return text.empty() ? text : Wrap(text, "  ") + "\n";
    }
    case ReportBy::kEvidence:
      return figures.evidence_conflicts.empty()
                 ? "nothing tells of a kernel other than its name does\n\n"
                 : "";
    case ReportBy::kSite: return SiteNotes(figures);
    default: return "";
  }
}

// What limits the step, and what to do about it.
std::string Verdict(const Summary& summary, const Figures& figures,
                    const ReportOptions& options) {
  std::string text;
  for (const Limit& limit : figures.limits) {
    const std::string_view name = text.empty() ? "limit: " : "behind it: ";
    const std::string lines =
        Wrap(std::string(name) + LimitSentence(figures, limit), "  ");
    text += options.color ? kBold + lines + kPlain : lines;
  }
  const AdviceList advice = Advise(summary, figures);
  const std::string first = LimitSentence(figures);
  if (text.empty() && !first.empty()) text = Wrap("limit: " + first, "  ");
  text += TryLines(advice);
  if (!text.empty()) text += "\n";
  if (options.advice)
    text += AdviceEvidence(advice, figures.program.has_fixed_costs) + "\n";
  return text;
}

}  // namespace

std::string CsvReport(const Figures& figures, ReportBy by,
                      const ReportOptions& options) {
  if (by == ReportBy::kLayer) return RenderCsv(TidyLayerTable(figures));
  return RenderCsv(by == ReportBy::kClass ? TidyClassTable(figures)
                                          : DetailTable(figures, by, options));
}

std::string TextReport(const Summary& summary, const Figures& figures,
                       ReportBy by, const ReportOptions& options) {
  std::string text = Header(summary, figures);
  for (const Warning& warning : figures.warnings) {
    text += Wrap("warning: " + WarningText(warning, figures), "  ");
  }
  text += Wrap(StepsText(summary, figures), "  ");
  if (figures.devices.empty()) {
    return text + "\n" + RenderText(ApiTable(figures, options)) + "\n" +
           Trust(figures.trust);
  }
  text += "\n" + StepLine(figures, options) + PhaseLine(figures) +
          WrapIfAny(ExposureLine(figures)) + IdleLine(figures.program) +
          DrainLine(figures) + UnknownLine(figures.program) +
          SeenLines(figures.program) + SharedLines(figures) +
          Fp64Line(figures) + WrapIfAny(PathLine(figures.path)) +
          WrapIfAny(WhatIfLine(figures.path)) + Aside(figures, by, options) +
          "\n" + SensitivityText(figures);
  if (options.steps_plot) text += StepPlotText(summary, figures);
  text += RenderText(TextTable(figures, by, options)) + "\n";
  text += NotesUnder(by, figures);
  if (figures.devices.size() > 1) {
    text += RenderText(DeviceTable(figures)) + "\n";
  }
  return text + Verdict(summary, figures, options) + Trust(figures.trust);
}

}  // namespace dltap::analyzer
