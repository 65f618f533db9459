// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_report.h"

#include <string_view>

#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kFormats[] = {"dltap", "kineto", "nsys"};
constexpr std::string_view kFoundBy[] = {"none", "marker", "period"};

class ReportWriter {
 public:
  ReportWriter(const TraceModel& model, const Summary& summary)
      : model_(model), summary_(summary) {}

  std::string Run() {
    json_.BeginObject();
    json_.Field("schema", "dltap.report");
    json_.Field("version", 1);
    WriteSource();
    WriteDevices();
    WriteSteps();
    WriteClasses();
    json_.Key("between_steps");
    json_.BeginObject();
    WriteIdle(summary_.between_steps_ns);
    json_.EndObject();
    WritePhases();
    WriteApis();
    WriteKernels();
    WriteTrust();
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  // Whether the source can show this cause; imports lack CPU samples.
  bool CanShow(IdleCause cause) const {
    if (model_.format == SourceFormat::kDltap) return true;
    return cause != IdleCause::kFramework && cause != IdleCause::kBlocked &&
           cause != IdleCause::kProfiler;
  }

  void WriteSource() {
    json_.Key("source");
    json_.BeginObject();
    json_.Field("format", kFormats[static_cast<size_t>(model_.format)]);
    json_.Key("files");
    json_.BeginArray();
    for (const std::string& file : model_.files) json_.Value(file);
    json_.EndArray();
    json_.Key("program");
    const bool known =
        !model_.processes.empty() && !model_.processes.front().program.empty();
    known ? json_.Value(model_.processes.front().program) : json_.Null();
    json_.Field("simulated", model_.simulated);
    json_.EndObject();
  }

  void WriteDevices() {
    json_.Key("devices");
    json_.BeginArray();
    for (const DeviceSummary& device : summary_.devices) {
      const Process& process = model_.processes[device.process];
      const Device& info = process.devices[device.device.value()];
      const auto state = [&device](DeviceState s) {
        return device.state_ns[static_cast<size_t>(s)];
      };
      json_.BeginObject();
      json_.Field("process", process.host + ":" + std::to_string(process.pid));
      json_.Field("rank", process.rank);
      json_.Field("id", info.ordinal);
      json_.Field("name", info.name);
      json_.Field("wall_ns", device.wall_ns);
      json_.Field("busy_ns", state(DeviceState::kCompute) +
                                 state(DeviceState::kComm) +
                                 state(DeviceState::kCopy));
      json_.Field("compute_ns", state(DeviceState::kCompute));
      json_.Field("comm_exposed_ns", state(DeviceState::kComm));
      json_.Field("copy_exposed_ns", state(DeviceState::kCopy));
      json_.Field("idle_ns", state(DeviceState::kIdle));
      json_.Field("not_observed_ns", state(DeviceState::kNotObserved));
      json_.Field("utilization", device.utilization());
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteSteps() {
    const StepSummary& steps = summary_.steps;
    json_.Key("steps");
    json_.BeginObject();
    json_.Field("count", static_cast<uint64_t>(steps.found));
    json_.Key("used");
    json_.BeginArray();
    for (size_t i = 0; i < steps.used.size();) {
      size_t last = i;
      while (last + 1 < steps.used.size() &&
             steps.used[last + 1] == steps.used[last] + 1) {
        ++last;
      }
      json_.BeginArray();
      json_.Value(static_cast<uint64_t>(steps.used[i]));
      json_.Value(static_cast<uint64_t>(steps.used[last]));
      json_.EndArray();
      i = last + 1;
    }
    json_.EndArray();
    const bool found = steps.found_by != StepsFoundBy::kNone;
    json_.Key("ns");
    json_.BeginArray();
    if (found) {
      for (const int64_t ns : steps.ns) json_.Value(ns);
    }
    json_.EndArray();
    json_.Field("mean_ns", found ? std::optional(steps.mean_ns) : std::nullopt);
    json_.Field("stddev_ns",
                found ? std::optional(steps.stddev_ns) : std::nullopt);
    json_.Field("found_by", kFoundBy[static_cast<size_t>(steps.found_by)]);
    json_.EndObject();
  }

  void WriteIdle(const std::array<int64_t, kIdleCauses>& idle) {
    const auto group = [&](std::string_view key, bool host) {
      json_.Key(key);
      json_.BeginObject();
      for (size_t i = 0; i < kIdleCauses; ++i) {
        const auto cause = static_cast<IdleCause>(i);
        if (IsHostCause(cause) != host) continue;
        json_.Key(Name(cause));
        CanShow(cause) ? json_.Value(idle[i]) : json_.Null();
      }
      json_.EndObject();
    };
    group("host_ns", true);
    group("device_ns", false);
  }

  template <typename Enum, typename Array>
  void WriteByName(std::string_view key, const Array& values) {
    json_.Key(key);
    json_.BeginObject();
    for (size_t i = 0; i < values.size(); ++i) {
      json_.Field(Name(static_cast<Enum>(i)), values[i]);
    }
    json_.EndObject();
  }

  int64_t BackwardNs(const ClassSummary& s) const {
    int64_t ns = 0;
    for (size_t d = 0; d < kDirectionCount; ++d) {
      if (IsBackward(static_cast<Direction>(d))) ns += s.direction_ns[d];
    }
    return ns;
  }

  void WriteClass(LayerClass layer_class, const ClassSummary& s) {
    const auto direction = [&s](Direction d) {
      return s.direction_ns[static_cast<size_t>(d)];
    };
    int64_t wall = 0;
    for (const DeviceSummary& device : summary_.devices) wall += device.wall_ns;
    json_.BeginObject();
    json_.Field("class", Name(layer_class));
    json_.Field("gpu_ns", s.gpu_ns);
    json_.Field("busy_ns", s.busy_ns);
    json_.Field("exclusive_ns", s.exclusive_ns);
    json_.Field("share",
                summary_.total.gpu_ns > 0
                    ? std::optional(static_cast<double>(s.gpu_ns) /
                                    static_cast<double>(summary_.total.gpu_ns))
                    : std::nullopt);
    json_.Field("calls", s.calls);
    json_.Field("kernels", s.kernels);
    json_.Field("utilization",
                wall > 0 ? std::optional(static_cast<double>(s.busy_ns) /
                                         static_cast<double>(wall))
                         : std::nullopt);
    WriteIdle(s.idle_ns);
    json_.Field("cpu_dependency", s.cpu_dependency());
    json_.Field("flops", s.efficiency.flops > 0
                             ? std::optional(s.efficiency.flops)
                             : std::nullopt);
    json_.Field("forward_ns", direction(Direction::kForward));
    json_.Field("backward_ns", BackwardNs(s));
    json_.Field("update_ns", direction(Direction::kUpdate));
    WriteByName<Direction>("direction_ns", s.direction_ns);
    WriteByName<JoinedBy>("joined_by", s.joined_by_ns);
    WriteByName<ClassFrom>("class_from", s.class_from_ns);
    json_.EndObject();
  }

  void WriteClasses() {
    json_.Key("classes");
    json_.BeginArray();
    for (size_t c = 0; c < kClassCount; ++c) {
      if (summary_.classes[c].kernels == 0) continue;
      WriteClass(static_cast<LayerClass>(c), summary_.classes[c]);
    }
    json_.EndArray();
  }

  void WritePhases() {
    json_.Key("phases");
    json_.BeginObject();
    for (size_t i = 0; i < kPhaseCount; ++i) {
      json_.Field(std::string(Name(static_cast<Phase>(i))) + "_ns",
                  summary_.phases_ns[i]);
    }
    json_.EndObject();
  }

  void WriteApis() {
    json_.Key("apis");
    json_.BeginArray();
    for (const ApiSummary& api : summary_.apis) {
      json_.BeginObject();
      json_.Field("name", api.name);
      json_.Field("calls", api.calls);
      json_.Field("cpu_ns", api.cpu_ns);
      json_.Field("gpu_ns", api.gpu_ns);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteKernels() {
    json_.Key("kernels");
    json_.BeginArray();
    for (const KernelSummary& kernel : summary_.kernels) {
      json_.BeginObject();
      json_.Field("name", kernel.name);
      json_.Field("class", Name(kernel.layer_class));
      json_.Field("count", kernel.count);
      json_.Field("gpu_ns", kernel.gpu_ns);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteTrust() {
    const TrustSummary& trust = summary_.trust;
    json_.Key("trust");
    json_.BeginObject();
    json_.Key("lost");
    json_.BeginObject();
    for (const auto& [cause, count] : trust.lost) json_.Field(cause, count);
    json_.EndObject();
    json_.Field("classified_share", trust.classified_share);
    json_.Field("flops_known_share", trust.flops_known_share);
    json_.Field("launches_without_kernel", trust.launches_without_kernel);
    json_.Field("kernels_without_launch", trust.kernels_without_launch);
    json_.Field("level", trust.level);
    json_.Key("why");
    trust.level_reason.empty() ? json_.Null() : json_.Value(trust.level_reason);
    json_.Field("overhead_ns", trust.overhead_ns);
    json_.Field("clock_residual_ns", trust.clock_residual_ns);
    json_.Field("composite_ns", trust.composite_ns);
    json_.EndObject();
  }

  const TraceModel& model_;
  const Summary& summary_;
  JsonWriter json_;
};

}  // namespace

std::string JsonReport(const TraceModel& model, const Summary& summary) {
  return ReportWriter(model, summary).Run();
}

}  // namespace dltap::analyzer
