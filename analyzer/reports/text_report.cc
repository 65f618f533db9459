// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/text_report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "analyzer/reports/command_line.h"
#include "analyzer/reports/render.h"

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

std::string Ms(double ns) { return Fixed(ns * 1e-6, ns < 1e8 ? 2 : 1); }

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

std::string Header(const TraceModel& model, const Summary& summary) {
  std::vector<std::string> parts;
  const Process* process =
      model.processes.empty() ? nullptr : &model.processes.front();
  if (!summary.devices.empty()) {
    process = &model.processes[summary.devices.front().process];
  }
  if (process != nullptr) {
    std::string command = CommandsText(model, *process);
    if (!command.empty()) parts.push_back(std::move(command));
  }
  parts.push_back(Count(model.processes.size(), "process"));
  std::set<std::string> names;
  for (const DeviceSummary& device : summary.devices) {
    const Process& of = model.processes[device.process];
    names.insert(Printable(of.devices[device.device.value()].name));
  }
  for (const std::string& name : names) {
    const std::string n = summary.devices.size() > 1
                              ? std::to_string(summary.devices.size()) + " x "
                              : "";
    parts.push_back(n + (name.empty() ? "unknown GPU" : name) +
                    (model.simulated ? " (simulated)" : ""));
  }
  if (process != nullptr && !process->framework.empty()) {
    parts.push_back(Printable(process->framework));
  }
  return Wrap(Join(parts, " · "), "  ");
}

std::string StepsLine(const StepSummary& steps) {
  if (steps.found_by == StepsFoundBy::kNone) {
    return "no steps found: all times are over the whole run\n";
  }
  constexpr std::string_view kReasons[] = {"", "warm-up", "autotune",
                                           "evaluation", "incomplete"};
  std::vector<std::string> out;
  for (size_t use = 1; use < std::size(kReasons); ++use) {
    if (steps.left_out[use] == 0) continue;
    out.push_back(std::to_string(steps.left_out[use]) + " " +
                  std::string(kReasons[use]));
  }
  const std::string by =
      steps.found_by == StepsFoundBy::kMarker ? "markers" : "period";
  return Wrap(Count(steps.found, "step") + ", " +
                  std::to_string(steps.used.size()) + " used (" +
                  (out.empty() ? "" : Join(out, ", ") + " left out; ") +
                  "found by " + by + ")",
              "  ");
}

double StateShare(const Summary& summary, DeviceState state) {
  double part = 0;
  double wall = 0;
  for (const DeviceSummary& device : summary.devices) {
    part += static_cast<double>(device.state_ns[static_cast<size_t>(state)]);
    wall += static_cast<double>(
        device.wall_ns -
        device.state_ns[static_cast<size_t>(DeviceState::kNotObserved)]);
  }
  return wall > 0 ? part / wall : 0;
}

std::array<int64_t, kIdleCauses> AllIdle(const Summary& summary) {
  std::array<int64_t, kIdleCauses> idle = summary.total.idle_ns;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    idle[i] += summary.between_steps_ns[i];
  }
  return idle;
}

double HostShare(const Summary& summary) {
  const auto idle = AllIdle(summary);
  double host = 0;
  for (size_t i = 0; i < static_cast<size_t>(IdleCause::kProfiler); ++i) {
    host += static_cast<double>(idle[i]);
  }
  double compute = 0;
  for (const DeviceSummary& device : summary.devices) {
    compute += static_cast<double>(
        device.state_ns[static_cast<size_t>(DeviceState::kCompute)]);
  }
  return host + compute > 0 ? host / (host + compute) : 0;
}

std::string StepLine(const Summary& summary, const ReportOptions& options) {
  std::string line;
  if (summary.steps.found_by != StepsFoundBy::kNone) {
    line = "step " + Ms(summary.steps.mean_ns) + " ms ± " +
           Ms(summary.steps.stddev_ns) + "    ";
  } else if (!summary.devices.empty()) {
    double wall = 0;
    for (const auto& device : summary.devices) {
      wall = std::max(wall, static_cast<double>(device.wall_ns));
    }
    line = "run " + Ms(wall) + " ms    ";
  }
  line += "GPU " + Fixed(100 * StateShare(summary, DeviceState::kCompute), 1) +
          " %    CPU-dependent " + Fixed(100 * HostShare(summary), 1) + " %";
  if (const double comm = StateShare(summary, DeviceState::kComm); comm > 0) {
    line += "    exposed comm " + Fixed(100 * comm, 1) + " %";
  }
  if (options.samples_per_step && summary.steps.mean_ns > 0) {
    const double rate =
        *options.samples_per_step / (summary.steps.mean_ns * 1e-9);
    line += "    " + Fixed(rate, 0) + " " + options.samples_unit + "/s";
  }
  return line + '\n';
}

std::string PhaseLine(const Summary& summary, double per) {
  constexpr Phase kOrder[] = {
      Phase::kForward, Phase::kBackward, Phase::kUpdate,   Phase::kComm,
      Phase::kH2d,     Phase::kIo,       Phase::kAutotune, Phase::kOther};
  std::string line = " ";
  for (const Phase phase : kOrder) {
    const double ns =
        static_cast<double>(summary.phases_ns[static_cast<size_t>(phase)]);
    if (phase == Phase::kAutotune && ns == 0) continue;
    line += " " + std::string(Name(phase)) + " " + Ms(ns / per) + "  ";
  }
  return line + "ms\n";
}

std::string IdleLine(const Summary& summary, double per) {
  const auto idle = AllIdle(summary);
  std::vector<size_t> order;
  double total = 0;
  for (size_t i = 0; i < kIdleCauses; ++i) {
    total += static_cast<double>(idle[i]);
    if (idle[i] > 0) order.push_back(i);
  }
  if (order.empty()) return "";
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return idle[a] > idle[b]; });
  std::vector<std::string> parts;
  for (const size_t i : order) {
    const IdleCause cause = static_cast<IdleCause>(i);
    const std::string device = IsHostCause(cause) ? "" : "device ";
    parts.push_back(device + std::string(Name(cause)) + " " +
                    Ms(static_cast<double>(idle[i]) / per));
  }
  return Wrap("  idle " + Ms(total / per) + " ms: " + Join(parts, " · "),
              "    ");
}

std::string Trust(const Summary& summary) {
  const TrustSummary& trust = summary.trust;
  uint64_t lost = 0;
  for (const auto& [cause, count] : trust.lost) lost += count;
  std::vector<std::string> parts;
  parts.push_back(Count(lost, "record") + " lost");
  for (const auto& [cause, count] : trust.lost) {
    if (count > 0) parts.push_back(cause + " " + WithThousands(count));
  }
  std::string how;
  const double total = static_cast<double>(summary.total.gpu_ns);
  if (total > 0) {
    std::vector<std::string> from;
    for (size_t i = 0; i < static_cast<size_t>(ClassFrom::kNone); ++i) {
      const double ns = static_cast<double>(summary.total.class_from_ns[i]);
      if (ns <= 0) continue;
      std::string name(Name(static_cast<ClassFrom>(i)));
      std::replace(name.begin(), name.end(), '_', ' ');
      from.push_back(name + " " + Fixed(100 * ns / total, 1) + " %");
    }
    how = from.empty() ? "" : " (" + Join(from, ", ") + ")";
  }
  parts.push_back(Fixed(100 * trust.classified_share, 1) +
                  " % of GPU time classified" + how);
  parts.push_back("FLOPs known for " + Fixed(100 * trust.flops_known_share, 0) +
                  " % of GPU time");
  if (trust.launches_without_kernel == 0 && trust.kernels_without_launch == 0) {
    parts.push_back("every launch has its kernel");
  } else {
    parts.push_back(
        Count(trust.launches_without_kernel, "launch") + " without kernel, " +
        Count(trust.kernels_without_launch, "kernel") + " without launch");
  }
  if (trust.composite_ns > 0) {
    parts.push_back(Ms(static_cast<double>(trust.composite_ns)) +
                    " ms regrouped (--no-composite undoes it)");
  }
  if (trust.not_observed_ns > 0) {
    parts.push_back(Ms(static_cast<double>(trust.not_observed_ns)) +
                    " ms not observed");
  }
  parts.push_back(trust.overhead_ns
                      ? "own cost " +
                            Ms(static_cast<double>(*trust.overhead_ns)) +
                            " ms in all, subtracted"
                      : "own cost unknown");
  parts.push_back(
      "clocks ±" +
      Fixed(static_cast<double>(trust.clock_residual_ns) * 1e-3, 1) + " us");
  parts.push_back("level " + trust.level +
                  (trust.level_reason.empty()
                       ? ""
                       : " (" + Printable(trust.level_reason) + ")"));
  return Wrap("trust: " + Join(parts, " · "), "  ");
}

}  // namespace

Table ReportTable(const TraceModel&, const Summary& summary, ReportBy by,
                  const ReportOptions& options) {
  switch (by) {
    case ReportBy::kClass: return ClassTable(summary, options);
    case ReportBy::kApi: return ApiTable(summary, options);
    case ReportBy::kKernel: return KernelTable(summary, options);
    case ReportBy::kOp: return OpTable(summary, options);
    case ReportBy::kStep: return StepTable(summary);
  }
  return {};
}

std::string TextReport(const TraceModel& model, const Summary& summary,
                       ReportBy by, const ReportOptions& options) {
  std::string text = Header(model, summary);
  if (summary.devices.empty()) {
    return text + "the trace holds no GPU work; nothing to attribute\n\n" +
           RenderText(ApiTable(summary, options)) + "\n" + Trust(summary);
  }
  const double per =
      summary.steps.found_by == StepsFoundBy::kNone
          ? 1
          : std::max<double>(1, static_cast<double>(summary.windows));
  text += StepsLine(summary.steps) + "\n" + StepLine(summary, options) +
          PhaseLine(summary, per) + IdleLine(summary, per) + "\n";
  text += RenderText(ReportTable(model, summary, by, options)) + "\n";
  if (summary.devices.size() > 1) {
    text += RenderText(DeviceTable(model, summary)) + "\n";
  }
  const std::string limit = LimitSentence(summary);
  if (!limit.empty()) {
    const std::string lines = Wrap("limit: " + limit, "  ");
    text += (options.color ? kBold + lines + kPlain : lines) + "\n";
  }
  return text + Trust(summary);
}

}  // namespace dltap::analyzer
