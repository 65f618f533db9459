// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/detail_tables.h"

#include <algorithm>
#include <string>

#include "analyzer/reports/class_table.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

Cell ExactMs(int64_t ns) {
  return Number{static_cast<double>(ns) * kMsPerNs, 3};
}

Cell MeanUs(std::optional<double> ns) {
  if (!ns) return Blank{};
  return Number{*ns * kUsPerNs, 2};
}

Cell Whole(uint64_t count) { return static_cast<int64_t>(count); }

size_t RowsOf(size_t n_rows, const ReportOptions& options) {
  return std::min(n_rows, options.top);
}

std::string NameOf(const ProcessKey& process, const DeviceFigures& device) {
  return process.host + ":" + std::to_string(process.pid) + " gpu" +
         std::to_string(device.sums->ordinal);
}

std::string NameOf(const DeviceFigures& device) {
  const std::vector<ProcessKey>& processes = device.sums->processes;
  const std::string others =
      processes.size() == 1
          ? ""
          : " and " + Count(processes.size() - 1, "other process");
  return NameOf(processes.front(), device) + others;
}

Cell RankOf(const DeviceFigures& device) {
  const std::vector<ProcessKey>& processes = device.sums->processes;
  if (processes.size() > 1 || !processes.front().rank) return Blank{};
  return int64_t{*processes.front().rank};
}

}  // namespace

Table ApiTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {{{"function"}, "function", false},
                   {{"calls"}, "calls"},
                   {{"CPU", "ms"}, "cpu_ms"},
                   {{"mean", "us"}, "mean_cpu_us"},
                   {{"GPU", "ms"}, "gpu_ms"}};
  for (size_t i = 0; i < RowsOf(figures.apis.size(), options); ++i) {
    const ApiRow& api = figures.apis[i];
    table.rows.push_back({api.name, Whole(api.sums.calls),
                          ExactMs(api.sums.cpu_ns), MeanUs(api.mean_cpu_ns),
                          ExactMs(api.sums.gpu_ns)});
  }
  return table;
}

Table KernelTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {
      {{"kernel"}, "kernel", false}, {{"class"}, "class", false},
      {{"count"}, "count"},          {{"GPU", "ms"}, "gpu_ms"},
      {{"mean", "us"}, "mean_us"},   {{"share", "%"}, "share_percent"}};
  for (size_t i = 0; i < RowsOf(figures.kernels.size(), options); ++i) {
    const KernelRow& kernel = figures.kernels[i];
    table.rows.push_back({kernel.name, DisplayName(kernel.layer_class),
                          Whole(kernel.sums.count), ExactMs(kernel.sums.gpu_ns),
                          MeanUs(kernel.mean_ns), PercentCell(kernel.share)});
  }
  return table;
}

Table SiteTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {
      {{"site"}, "site", false}, {{"class"}, "class", false},
      {{"calls"}, "calls"},      {{"kernels"}, "kernels"},
      {{"GPU", "ms"}, "gpu_ms"}, {{"share", "%"}, "share_percent"}};
  for (size_t i = 0; i < RowsOf(figures.sites.size(), options); ++i) {
    const SiteRow& row = figures.sites[i];
    table.rows.push_back({row.site.text.empty() ? "no site" : row.site.text,
                          DisplayName(row.layer_class), Whole(row.sums.calls),
                          Whole(row.sums.kernels), ExactMs(row.sums.gpu_ns),
                          PercentCell(row.share)});
  }
  return table;
}

Table OpTable(const Figures& figures, const ReportOptions& options) {
  Table table;
  table.columns = {{{"op"}, "op", false},
                   {{"class"}, "class", false},
                   {{"direction"}, "direction", false},
                   {{"count"}, "count"},
                   {{"GPU", "ms"}, "gpu_ms"},
                   {{"share", "%"}, "share_percent"},
                   {{"TFLOP/s"}, "tflops_per_s"}};
  for (size_t i = 0; i < RowsOf(figures.ops.size(), options); ++i) {
    const OpRow& op = figures.ops[i];
    table.rows.push_back({op.name, DisplayName(op.layer_class),
                          std::string(Name(op.direction)), Whole(op.sums.count),
                          ExactMs(op.sums.gpu_ns), PercentCell(op.share),
                          KnownCell(op.tflops, 1, 1)});
  }
  return table;
}

Table StepTable(const Figures& figures, bool with_device) {
  Table table;
  if (with_device) table.columns.push_back({{"device"}, "device", false});
  table.columns.push_back({{"step"}, "step", with_device});
  table.columns.push_back({{"ms"}, "ms"});
  for (const DeviceFigures& device : figures.devices) {
    for (const StepTime& step : device.sums->steps) {
      auto& row = table.rows.emplace_back();
      if (with_device) {
        row.push_back(NameOf(device.sums->processes[step.process], device));
      }
      row.push_back(Whole(step.step));
      row.push_back(ExactMs(step.ns));
    }
  }
  return table;
}

Table DeviceTable(const Figures& figures) {
  Table table;
  table.columns = {{{"device"}, "device", false},
                   {{"rank"}, "rank"},
                   {{"wall", "ms"}, "wall_ms"},
                   {{"compute", "%"}, "compute_percent"},
                   {{"comm", "%"}, "comm_exposed_percent"},
                   {{"copy", "%"}, "copy_exposed_percent"},
                   {{"idle", "%"}, "idle_percent"}};
  for (const DeviceFigures& device : figures.devices) {
    table.rows.push_back(
        {NameOf(device), RankOf(device), ExactMs(device.sums->wall_ns),
         PercentCell(device.utilization), PercentCell(device.comm_share),
         PercentCell(device.copy_share), PercentCell(device.idle_share)});
  }
  return table;
}

}  // namespace dltap::analyzer
