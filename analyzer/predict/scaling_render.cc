// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/scaling_render.h"

#include "absl/strings/str_format.h"

namespace dltap::analyzer {
namespace {

constexpr double kMsPerNs = 1e-6;
constexpr double kMbPerByte = 1e-6;
constexpr double kPercent = 100;

}  // namespace

std::string RenderScalingText(const Scaling& scaling,
                              const opmodel::GpuSpec& gpu,
                              const ScalingOptions& options) {
  const StepParts& step = scaling.step;
  std::string text = absl::StrFormat(
      "%s: step of one GPU %.2f ms (io %.2f, h2d %.2f, forward %.2f, backward "
      "%.2f, update %.2f, other %.2f)\n",
      gpu.name, step.sum_ns() * kMsPerNs, step.io_ns * kMsPerNs,
      step.h2d_ns * kMsPerNs, step.forward_ns * kMsPerNs,
      step.backward_ns * kMsPerNs, step.update_ns * kMsPerNs,
      step.other_ns * kMsPerNs);
  absl::StrAppendFormat(
      &text,
      "assumed: %.1f MB of gradients in %d all-reduces, ready evenly over "
      "backward; %s in nodes of %d,\n  %s between them; the batch of each GPU "
      "as now; %s\n\n",
      options.gradient_bytes * kMbPerByte, scaling.buckets.size(),
      options.link->name, options.gpus_per_node, options.network->name,
      options.shared_input ? "one store feeds all: its time grows with them"
                           : "input as fast as now for each");
  absl::StrAppendFormat(&text, "%6s %12s %12s %12s %12s %12s %9s %11s\n",
                        "GPUs", "all-reduce", "hidden", "exposed", "serial",
                        "exposed comm", "speedup", "efficiency");
  absl::StrAppendFormat(&text, "%6s %12s %12s %12s %12s %12s %9s %11s\n", "",
                        "ms", "step ms", "step ms", "step ms", "ms", "", "%");
  for (const ScalingRow& row : scaling.rows) {
    absl::StrAppendFormat(
        &text, "%6d %12.3f %11.3f%s %11.3f%s %12.3f %12.3f %9.2f %11.1f\n",
        row.gpus, row.comm_ns * kMsPerNs, row.hidden_ns * kMsPerNs,
        row.is_hidden ? "*" : " ", row.exposed_ns * kMsPerNs,
        row.is_hidden ? " " : "*", row.serial_ns * kMsPerNs,
        row.exposed_comm_ns * kMsPerNs, row.speedup, row.efficiency * kPercent);
  }
  return text + "* the formula that holds; speedup and efficiency are by it\n";
}

std::string RenderScalingJson(const Scaling& scaling,
                              const opmodel::GpuSpec& gpu,
                              const ScalingOptions& options) {
  const StepParts& step = scaling.step;
  std::string json = absl::StrFormat(
      R"({"schema":"dltap.scaling","version":1,"gpu":"%s",)"
      R"("gradient_bytes":%.0f,"buckets":%d,"link":"%s","network":"%s",)"
      R"("gpus_per_node":%d,"shared_input":%s,)",
      gpu.name, options.gradient_bytes, scaling.buckets.size(),
      options.link->name, options.network->name, options.gpus_per_node,
      options.shared_input ? "true" : "false");
  absl::StrAppendFormat(
      &json,
      R"("step":{"ns":%.0f,"io_ns":%.0f,"h2d_ns":%.0f,"forward_ns":%.0f,)"
      R"("backward_ns":%.0f,"update_ns":%.0f,"other_ns":%.0f},"rows":[)",
      step.sum_ns(), step.io_ns, step.h2d_ns, step.forward_ns, step.backward_ns,
      step.update_ns, step.other_ns);
  const char* separator = "\n";
  for (const ScalingRow& row : scaling.rows) {
    absl::StrAppendFormat(
        &json,
        R"(%s{"gpus":%d,"comm_ns":%.0f,"hidden_step_ns":%.0f,)"
        R"("exposed_step_ns":%.0f,"serial_step_ns":%.0f,)"
        R"("exposed_comm_ns":%.0f,"speedup":%.6g,"efficiency":%.6g,)"
        R"("comm_is_hidden":%s})",
        separator, row.gpus, row.comm_ns, row.hidden_ns, row.exposed_ns,
        row.serial_ns, row.exposed_comm_ns, row.speedup, row.efficiency,
        row.is_hidden ? "true" : "false");
    separator = ",\n";
  }
  return json + "]}\n";
}

}  // namespace dltap::analyzer
