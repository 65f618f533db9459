// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/reports/class_table.h"

namespace dltap::analyzer {
namespace {

Cell Milliseconds(int64_t ns) {
  return Number{static_cast<double>(ns) * 1e-6, 3};
}

Cell Mean(int64_t ns, uint64_t count) {
  if (count == 0) return Blank{};
  return Number{static_cast<double>(ns) / static_cast<double>(count) * 1e-3, 2};
}

Cell Share(int64_t ns, int64_t total) {
  if (total <= 0) return Blank{};
  return Number{100.0 * static_cast<double>(ns) / static_cast<double>(total),
                1};
}

}  // namespace

Table ApiTable(const Summary& summary, const ReportOptions& options) {
  Table table;
  table.columns = {{{"function"}, "function", false},
                   {{"calls"}, "calls"},
                   {{"CPU", "ms"}, "cpu_ms"},
                   {{"mean", "us"}, "mean_cpu_us"},
                   {{"GPU", "ms"}, "gpu_ms"}};
  for (const ApiSummary& api : summary.apis) {
    if (table.rows.size() == options.top) break;
    table.rows.push_back({api.name, static_cast<int64_t>(api.calls),
                          Milliseconds(api.cpu_ns), Mean(api.cpu_ns, api.calls),
                          Milliseconds(api.gpu_ns)});
  }
  return table;
}

Table KernelTable(const Summary& summary, const ReportOptions& options) {
  Table table;
  table.columns = {
      {{"kernel"}, "kernel", false}, {{"class"}, "class", false},
      {{"count"}, "count"},          {{"GPU", "ms"}, "gpu_ms"},
      {{"mean", "us"}, "mean_us"},   {{"share", "%"}, "share_percent"}};
  for (const KernelSummary& kernel : summary.kernels) {
    if (table.rows.size() == options.top) break;
    table.rows.push_back({kernel.name, DisplayName(kernel.layer_class),
                          static_cast<int64_t>(kernel.count),
                          Milliseconds(kernel.gpu_ns),
                          Mean(kernel.gpu_ns, kernel.count),
                          Share(kernel.gpu_ns, summary.total.gpu_ns)});
  }
  return table;
}

Table OpTable(const Summary& summary, const ReportOptions& options) {
  Table table;
  table.columns = {{{"op"}, "op", false},
                   {{"class"}, "class", false},
                   {{"direction"}, "direction", false},
                   {{"count"}, "count"},
                   {{"GPU", "ms"}, "gpu_ms"},
                   {{"share", "%"}, "share_percent"},
                   {{"TFLOP/s"}, "tflops_per_s"}};
  for (const OpSummary& op : summary.ops) {
    if (table.rows.size() == options.top) break;
    const Efficiency& e = op.efficiency;
    const Cell rate = e.flops > 0 && e.known_ns > 0
                          ? Cell(Number{e.flops / e.known_ns * 1e-3, 1})
                          : Cell(Unknown{});
    table.rows.push_back(
        {op.name, DisplayName(op.layer_class), std::string(Name(op.direction)),
         static_cast<int64_t>(op.count), Milliseconds(op.gpu_ns),
         Share(op.gpu_ns, summary.total.gpu_ns), rate});
  }
  return table;
}

Table StepTable(const Summary& summary) {
  Table table;
  table.columns = {{{"step"}, "step", false}, {{"ms"}, "ms"}};
  for (size_t i = 0; i < summary.steps.ns.size(); ++i) {
    const size_t step =
        i < summary.steps.used.size() ? summary.steps.used[i] : i;
    table.rows.push_back(
        {std::to_string(step), Milliseconds(summary.steps.ns[i])});
  }
  return table;
}

Table DeviceTable(const TraceModel& model, const Summary& summary) {
  Table table;
  table.columns = {{{"device"}, "device", false},
                   {{"rank"}, "rank"},
                   {{"wall", "ms"}, "wall_ms"},
                   {{"compute", "%"}, "compute_percent"},
                   {{"comm", "%"}, "comm_exposed_percent"},
                   {{"copy", "%"}, "copy_exposed_percent"},
                   {{"idle", "%"}, "idle_percent"}};
  for (const DeviceSummary& device : summary.devices) {
    const Process& process = model.processes[device.process];
    const auto share = [&](DeviceState state) -> Cell {
      return Share(device.state_ns[static_cast<size_t>(state)], device.wall_ns);
    };
    const Cell rank = process.rank ? Cell(int64_t{*process.rank}) : Blank{};
    table.rows.push_back(
        {process.host + ":" + std::to_string(process.pid) + " gpu" +
             std::to_string(process.devices[device.device.value()].ordinal),
         rank, Milliseconds(device.wall_ns), share(DeviceState::kCompute),
         share(DeviceState::kComm), share(DeviceState::kCopy),
         share(DeviceState::kIdle)});
  }
  return table;
}

}  // namespace dltap::analyzer
