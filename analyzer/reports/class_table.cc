// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "analyzer/metrics/efficiency.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

constexpr double kFoldBelow = 0.005;  // of the total

Cell Milliseconds(double ns, double steps) {
  return Number{ns / steps * 1e-6, ns / steps < 1e8 ? 2 : 1};
}

Cell Percent(std::optional<double> ratio) {
  if (!ratio) return Blank{};
  return Number{*ratio * 100, 1};
}

Cell PerStep(uint64_t count, double steps) {
  if (count == 0) return std::string("-");
  return static_cast<int64_t>(std::max(1.0, count / steps + 0.5));
}

Cell TeraFlops(const Efficiency& e) {
  if (e.flops <= 0 || e.known_ns <= 0) return Unknown{};
  return Number{e.flops / e.known_ns * 1e-3, 1};
}

Cell OfPeak(const Efficiency& e) {
  if (e.flops <= 0 || e.peak_flops <= 0) return Unknown{};
  return Number{e.flops / e.peak_flops * 100, 1};
}

std::string BoundText(LayerClass layer_class, const ClassSummary& summary) {
  switch (LimitOf(layer_class, summary)) {
    case LimitedBy::kCompute: return "compute";
    case LimitedBy::kMemory: return "memory";
    case LimitedBy::kLatency: return "latency";
    case LimitedBy::kUnknown: return "?";
  }
  return "?";
}

int64_t Backward(const ClassSummary& s) {
  int64_t ns = 0;
  for (size_t d = 0; d < kDirectionCount; ++d) {
    if (IsBackward(static_cast<Direction>(d))) ns += s.direction_ns[d];
  }
  return ns;
}

// "12.8 / 26.8"; "update" when that is all it does.
std::string Directions(const ClassSummary& s, double steps) {
  const int64_t forward =
      s.direction_ns[static_cast<size_t>(Direction::kForward)];
  const int64_t backward = Backward(s);
  const int64_t update =
      s.direction_ns[static_cast<size_t>(Direction::kUpdate)];
  if (forward == 0 && backward == 0) return update > 0 ? "update" : "";
  return Fixed(forward / steps * 1e-6, 2) + " / " +
         Fixed(backward / steps * 1e-6, 2);
}

std::vector<Cell> Row(const std::string& name, const ClassSummary& s,
                      double total_ns, double steps, const std::string& bound) {
  const double ns = static_cast<double>(s.gpu_ns);
  return {name,
          Milliseconds(ns, steps),
          Number{total_ns > 0 ? ns / total_ns * 100 : 0, 1},
          PerStep(s.calls, steps),
          PerStep(s.kernels, steps),
          Percent(s.cpu_dependency()),
          TeraFlops(s.efficiency),
          OfPeak(s.efficiency),
          bound,
          Directions(s, steps)};
}

}  // namespace

std::string DisplayName(LayerClass layer_class) {
  if (layer_class == LayerClass::kRnn) return "LSTM/RNN";
  std::string name(Name(layer_class));
  for (char& c : name) c = c == '_' ? ' ' : static_cast<char>(std::toupper(c));
  return name;
}

Table ClassTable(const Summary& summary, const ReportOptions& options) {
  const bool per_step = summary.steps.found_by != StepsFoundBy::kNone;
  const double steps =
      per_step ? std::max<double>(1, static_cast<double>(summary.windows)) : 1;
  const std::string per = per_step ? "/step" : "";
  Table table;
  table.columns = {{{"class"}, "class", false},
                   {{"GPU", "ms" + per}, "gpu_ms"},
                   {{"share", "%"}, "share_percent"},
                   {{"calls", per}, "calls"},
                   {{"kernels", per}, "kernels"},
                   {{"CPU-dep", "%"}, "cpu_dependency_percent"},
                   {{"TFLOP/s"}, "tflops_per_s"},
                   {{"of peak", "%"}, "of_peak_percent"},
                   {{"bound"}, "bound", false},
                   {{"fwd / bwd", "ms" + per}, "forward_backward_ms"}};
  std::vector<size_t> order;
  for (size_t c = 0; c < kClassCount; ++c) {
    if (summary.classes[c].kernels > 0) order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return summary.classes[a].gpu_ns > summary.classes[b].gpu_ns;
  });
  const double total = static_cast<double>(summary.total.gpu_ns);
  ClassSummary folded;
  int64_t n_folded = 0;
  for (const size_t c : order) {
    const ClassSummary& s = summary.classes[c];
    const LayerClass layer_class = static_cast<LayerClass>(c);
    const bool small = static_cast<double>(s.gpu_ns) < kFoldBelow * total;
    // What could not be attributed is never hidden.
    if (small && !options.wide && layer_class != LayerClass::kUnattributed) {
      folded.Add(s);
      ++n_folded;
      continue;
    }
    table.rows.push_back(Row(DisplayName(layer_class), s, total, steps,
                             BoundText(layer_class, s)));
  }
  if (n_folded > 0) {
    auto row = Row("(" + std::to_string(n_folded) + " more)", folded, total,
                   steps, "");
    row[6] = row[7] = Blank{};
    table.rows.push_back(row);
  }
  auto row = Row("total", summary.total, total, steps, "");
  const ClassSummary all = [&] {
    ClassSummary sum = summary.total;
    for (size_t i = 0; i < kIdleCauses; ++i) {
      sum.idle_ns[i] += summary.between_steps_ns[i];
    }
    // Classes overlap; the program's own busy time is the device's.
    sum.busy_ns = 0;
    for (const DeviceSummary& device : summary.devices) {
      sum.busy_ns +=
          device.state_ns[static_cast<size_t>(DeviceState::kCompute)];
    }
    return sum;
  }();
  row[5] = Percent(all.cpu_dependency());
  table.rows.push_back(row);
  table.last_is_total = true;
  return table;
}

}  // namespace dltap::analyzer
