// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/prometheus.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

// Upper bounds of the step histogram, 1 ms to 5 min.
constexpr int64_t kBucketsNs[] = {
    1'000'000,      2'000'000,      5'000'000,       10'000'000,
    20'000'000,     50'000'000,     100'000'000,     200'000'000,
    500'000'000,    1'000'000'000,  2'000'000'000,   5'000'000'000,
    10'000'000'000, 30'000'000'000, 100'000'000'000, 300'000'000'000};

// The digits of a whole number of nanoseconds: no rounding.
std::string Seconds(int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%s%lld.%09lld", ns < 0 ? "-" : "",
                std::llabs(ns) / 1'000'000'000, std::llabs(ns) % 1'000'000'000);
  return text;
}

std::string Real(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : ValidUtf8(text)) {
    if (c == '\\' || c == '"') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
  return out;
}

class MetricsWriter {
 public:
  explicit MetricsWriter(const ByteSink& sink) : sink_(sink) {}

  void Head(std::string_view name, std::string_view type,
            std::string_view help) {
    name_ = name;
    sink_("# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ +
          " " + std::string(type) + "\n");
  }

  void Sample(const Labels& labels, const std::string& value,
              std::string_view suffix = "") {
    std::string line = name_ + std::string(suffix);
    for (size_t i = 0; i < labels.size(); ++i) {
      line += i == 0 ? "{" : ",";
      line += std::string(labels[i].first) + "=\"" + Escaped(labels[i].second) +
              "\"";
    }
    sink_(line + (labels.empty() ? " " : "} ") + value + "\n");
  }

 private:
  const ByteSink& sink_;
  std::string name_;
};

class Report {
 public:
  Report(const Summary& summary, const Figures& figures, MetricsWriter& out)
      : summary_(summary), figures_(figures), out_(out) {}

  void Run() {
    Classes();
    Idle();
    Utilization();
    Apis();
    Steps();
    Losses();
  }

 private:
  // Ranks where all processes of the device have one, else host:pid.
  static Labels LabelsOf(const DeviceSummary& device) {
    std::string ranks, processes;
    for (const ProcessKey& key : device.processes) {
      if (key.rank) {
        ranks += (ranks.empty() ? "" : ",") + std::to_string(*key.rank);
      }
      processes += (processes.empty() ? "" : ",") +
                   (key.host.empty() ? "" : key.host + ":") +
                   std::to_string(key.pid);
    }
    return {{"rank", ranks},
            {"process", processes},
            {"device", std::to_string(device.ordinal)},
            {"uuid", device.uuid},
            {"model_name", device.name}};
  }

  void Classes() {
    out_.Head("dltap_gpu_busy_seconds_total", "counter",
              "Time in which work of a layer class ran on a device, in the "
              "judged windows.");
    for (const DeviceSummary& device : summary_.devices) {
      for (size_t i = 0; i < kClassCount; ++i) {
        const ClassSummary& sums = device.classes[i];
        if (sums.kernels == 0) continue;
        Labels labels = LabelsOf(device);
        labels.emplace_back("layer_class", Name(static_cast<LayerClass>(i)));
        out_.Sample(labels, Seconds(sums.busy_ns));
      }
    }
  }

  void Idle() {
    out_.Head("dltap_gpu_idle_seconds_total", "counter",
              "Time in which a device was idle, by cause.");
    for (const DeviceSummary& device : summary_.devices) {
      const IdleTimes idle = device.idle_ns();
      for (size_t i = 0; i < kIdleCauses; ++i) {
        if (idle[i] == 0) continue;
        Labels labels = LabelsOf(device);
        labels.emplace_back("cause", Name(static_cast<IdleCause>(i)));
        out_.Sample(labels, Seconds(idle[i]));
      }
    }
  }

  void Utilization() {
    out_.Head("dltap_gpu_utilization_ratio", "gauge",
              "Share of the observed time in which a device computed.");
    for (const DeviceFigures& device : figures_.devices) {
      if (!device.utilization) continue;
      out_.Sample(LabelsOf(*device.sums), Real(*device.utilization));
    }
  }

  void Apis() {
    out_.Head("dltap_api_cpu_seconds_total", "counter",
              "CPU time of the calls of a function in the used steps.");
    for (const ApiRow& row : figures_.apis) {
      out_.Sample({{"api", row.name}}, Seconds(row.sums.cpu_ns));
    }
  }

  void Steps() {
    out_.Head("dltap_step_duration_seconds", "histogram",
              "Lengths of the used steps.");
    const std::vector<int64_t>& steps = figures_.steps.ns;
    int64_t sum = 0;
    for (const int64_t ns : steps) sum += ns;
    for (const int64_t bound : kBucketsNs) {
      uint64_t within = 0;
      for (const int64_t ns : steps) within += ns <= bound;
      out_.Sample({{"le", Real(static_cast<double>(bound) / 1e9)}},
                  std::to_string(within), "_bucket");
    }
    out_.Sample({{"le", "+Inf"}}, std::to_string(steps.size()), "_bucket");
    out_.Sample({}, Seconds(sum), "_sum");
    out_.Sample({}, std::to_string(steps.size()), "_count");
  }

  void Losses() {
    out_.Head("dltap_events_dropped_total", "counter",
              "Events that the trace lost, by cause.");
    std::map<std::string, uint64_t> lost;
    for (const ProcessSummary& process : summary_.processes) {
      for (const auto& [cause, count] : process.lost) lost[cause] += count;
    }
    for (const auto& [cause, count] : lost) {
      out_.Sample({{"cause", cause}}, std::to_string(count));
    }
  }

  const Summary& summary_;
  const Figures& figures_;
  MetricsWriter& out_;
};

}  // namespace

void WritePrometheus(const ExportInput& input, const ByteSink& sink) {
  const Summary summary =
      Summarise(input.model, input.attribution, input.selection);
  const Figures figures = FiguresOf(summary);
  MetricsWriter out(sink);
  out.Head("dltap_build_info", "gauge", "The dltap that wrote this.");
  out.Sample({{"version", DLTAP_VERSION},
              {"simulated", input.model.simulated ? "true" : "false"}},
             "1");
  Report(summary, figures, out).Run();
}

}  // namespace dltap::analyzer
