// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_report.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/advice/advise.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/reports/advice_text.h"
#include "analyzer/reports/collective_tables.h"
#include "analyzer/reports/command_line.h"
#include "analyzer/reports/evidence_tables.h"
#include "analyzer/reports/json_host.h"
#include "analyzer/reports/json_memory.h"
#include "analyzer/reports/json_rows.h"
#include "analyzer/reports/json_steps.h"
#include "analyzer/reports/layer_tables.h"
#include "analyzer/reports/path_report.h"
#include "analyzer/reports/warning_text.h"

namespace dltap::analyzer {
namespace {

std::string_view FormatOf(const Summary& summary) {
  constexpr std::string_view kFormats[] = {"dltap", "kineto", "nsys"};
  if (summary.formats.empty()) return kFormats[0];
  return kFormats[static_cast<size_t>(*summary.formats.begin())];
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

class ReportWriter {
 public:
  ReportWriter(const Summary& summary, const Figures& figures,
               JsonLayers layers)
      : summary_(summary),
        figures_(figures),
        layers_(layers),
        imported_(!summary.formats.empty() &&
                  !summary.formats.contains(SourceFormat::kDltap)) {}

  std::string Run() {
    json_.BeginObject();
    json_.Field("schema", "dltap.report");
    json_.Field("version", 2);
    WriteSource();
    WriteSelection(summary_, json_);
    WriteProgram();
    WriteList("processes", summary_.processes, WriteProcess);
    WriteList("devices", figures_.devices, WriteDevice);
    WriteSteps(summary_, figures_.steps, json_);
    WriteCoverage(summary_, figures_.coverage, json_);
    WriteClasses();
    json_.Key("between_steps");
    json_.BeginObject();
    WriteIdle(figures_.totals.between_steps_ns, imported_, json_);
    WriteDrained(figures_.totals.between_steps_drained_ns, json_);
    json_.EndObject();
    WritePhases("phases", figures_.totals.phases_ns);
    json_.Field("has_delays", figures_.has_delays);
    WriteList("sensitivity", figures_.sensitivity, WriteSensitivity);
    WriteList("limit", figures_.limits, WriteLimit);
    WriteAdvice(Advise(summary_, figures_), json_);
    WriteList("apis", figures_.apis, WriteApi);
    WriteList("kernels", figures_.kernels, WriteKernel);
    WriteList("ops", figures_.ops, WriteOp);
    WriteList("sites", figures_.sites, WriteSite);
    WriteCollectives(figures_.collectives, json_);
    if (layers_ == JsonLayers::kAll) {
      WriteList("layers", figures_.layers.layers, WriteLayer);
      WriteList("layer_groups", figures_.layers.groups, WriteLayer);
    }
    json_.Key("small_layers");
    WriteLayer(figures_.layers.small, json_);
    json_.Key("layer_matching");
    WriteLayerMatching(figures_.layers.matching, json_);
    WriteList("roofline", figures_.roofline, WriteRoofline);
    json_.Key("long_and_low");
    WriteLongAndLow(figures_.long_and_low, json_);
    WriteList("evidence_conflicts", figures_.evidence_conflicts, WriteConflict);
    if (summary_.in_slices) {
      json_.Key("memory");
      json_.Null();
    } else {
      WriteMemory(figures_.memory, json_);
    }
    WritePath(figures_.path, json_);
    WriteTrust();
    json_.EndObject();
    return json_.Take() + "\n";
  }

 private:
  template <typename Rows, typename Write>
  void WriteList(std::string_view key, const Rows& rows, Write write) {
    json_.Key(key);
    json_.BeginArray();
    for (const auto& row : rows) write(row, json_);
    json_.EndArray();
  }

  template <typename Times>
  void WritePhases(std::string_view key, const Times& phases_ns) {
    json_.Key(key);
    json_.BeginObject();
    for (size_t i = 0; i < kPhaseCount; ++i) {
      json_.Field(std::string(Name(static_cast<Phase>(i))) + "_ns",
                  phases_ns[i]);
    }
    json_.EndObject();
  }

  void WriteSource() {
    json_.Key("source");
    json_.BeginObject();
    json_.Field("format", FormatOf(summary_));
    json_.Field("in_slices", summary_.in_slices);
    json_.Key("files");
    json_.BeginArray();
    for (const std::string& file : summary_.files) json_.Value(file);
    json_.EndArray();
    const std::string program = Joined(figures_.program.names);
    json_.Key("program");
    program.empty() ? json_.Null() : json_.Value(program);
    json_.Field("simulated", summary_.simulated);
    json_.EndObject();
  }

  void WriteProgram() {
    const ProgramFigures& program = figures_.program;
    json_.Key("program");
    json_.BeginObject();
    const std::string command = CommandsText(summary_);
    json_.Key("command");
    command.empty() ? json_.Null() : json_.Value(command);
    json_.Field("processes", program.processes);
    json_.Key("gpus");
    json_.BeginArray();
    for (const auto& [name, count] : program.gpus) {
      json_.BeginObject();
      json_.Field("name", name);
      json_.Field("count", count.devices);
      json_.Field("processes", count.processes);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Field("visible_gpus", summary_.visible_gpus.size());
    json_.Field("per_step", program.per_step);
    json_.Field("utilization", program.utilization);
    json_.Field("comm_exposed_share", program.comm_share);
    json_.Field("cpu_dependency", program.cpu_dependency);
    json_.Field("cpu_utilization", program.host.cpu_utilization);
    json_.Key("queue_depth");
    json_.BeginObject();
    json_.Field("unfinished", program.host.queue_unfinished);
    json_.Field("waiting", program.host.queue_waiting);
    json_.Field("empty_share", program.host.queue_empty_share);
    json_.EndObject();
    json_.Field("longest_wall_ns", program.longest_wall_ns);
    json_.Field("samples_per_s", program.samples_per_s);
    json_.Field("host_work_ns", program.host_work_ns);
    json_.Field("host_work_is_bound", program.host_work_is_bound);
    json_.Field("device_work_ns", program.device_work_ns);
    json_.Field("wait_gain_ns", program.wait_gain_ns);
    json_.Field("input_runnable_share", program.input_runnable_share);
    WriteSigns();
    json_.Field("has_fixed_costs", program.has_fixed_costs);
    WriteList("drained_by", program.drained_by, WriteDrain);
    WriteList("unknown_in", program.unknown_in, WriteUnknown);
    WriteList("seen_in", program.seen_in, WriteSeen);
    WriteIdleOfProgram();
    WriteExposures(program.exposures, json_);
    json_.Key("total");
    json_.BeginObject();
    WriteClassFigures(program.total, json_);
    json_.EndObject();
    json_.EndObject();
  }

  void WriteSigns() {
    json_.Key("signs");
    json_.BeginObject();
    for (size_t i = 0; i < kSigns; ++i) {
      const SignFigures& sign = figures_.program.signs[i];
      json_.Key(Name(static_cast<Sign>(i)));
      json_.BeginObject();
      json_.Field("calls", sign.count);
      json_.Field("step_mean_ns", sign.ns);
      json_.Field("step_mean_bytes", sign.bytes);
      json_.Field("bandwidth_gbs", sign.gbs);
      json_.Field("share", sign.share);
      json_.EndObject();
    }
    json_.EndObject();
  }

  void WriteIdleOfProgram() {
    const ProgramFigures& program = figures_.program;
    json_.Key("idle");
    json_.BeginObject();
    json_.Field("ns", program.idle_ns);
    WriteIdle(figures_.totals.idle_ns, imported_, json_);
    WriteDrained(figures_.totals.drained_ns, json_);
    json_.EndObject();
    json_.Key("step_mean");
    json_.BeginObject();
    json_.Field("idle_ns", program.idle_step_ns);
    json_.Field("drained_ns", program.drained_step_ns);
    WriteIdle(program.idle_by_cause_step_ns, imported_, json_);
    WritePhases("phases", program.phases_step_ns);
    WriteList("parts", program.parts, WriteStepPart);
    json_.EndObject();
  }

  void WriteClasses() {
    std::vector<ClassRow> rows = figures_.classes;
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.layer_class < b.layer_class;
    });
    WriteList("classes", rows, [this](const ClassRow& row, JsonWriter& json) {
      WriteClass(row, imported_, json);
    });
    json_.Key("small_classes");
    json_.BeginObject();
    json_.Field("count", figures_.small_classes.count);
    WriteClassFigures(figures_.small_classes.figures, json_);
    json_.EndObject();
  }

  void WriteWarnings() {
    json_.Key("warnings");
    json_.BeginArray();
    for (const Warning& warning : figures_.warnings) {
      json_.BeginObject();
      json_.Field("id", Name(warning.id));
      json_.Field("text", WarningText(warning, figures_));
      json_.Field("share", warning.share);
      json_.Field("count", warning.count);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void WriteTrust() {
    const TrustFigures& trust = figures_.trust;
    json_.Key("trust");
    json_.BeginObject();
    WriteWarnings();
    json_.Key("lost");
    json_.BeginObject();
    for (const auto& [cause, count] : trust.lost) json_.Field(cause, count);
    json_.EndObject();
    json_.Field("lost_records", trust.lost_records);
    json_.Field("classified_share", trust.classified_share);
    json_.Field("flops_known_share", trust.flops_known_share);
    json_.Field("bytes_known_share", trust.bytes_known_share);
    json_.Key("class_from_share");
    json_.BeginObject();
    for (size_t i = 0; i < kClassFromCount; ++i) {
      json_.Field(Name(static_cast<ClassFrom>(i)), trust.class_from_share[i]);
    }
    json_.EndObject();
    json_.Key("uncomputed_reads");
    json_.BeginObject();
    for (const auto& [place, count] : trust.uncomputed_reads) {
      json_.Field(place, count);
    }
    json_.EndObject();
    json_.Key("uncomputed_values");
    if (trust.uncomputed_reads.empty()) {
      json_.Null();
    } else {
      json_.Value(trust.reads_are_plausible ? "plausible" : "zero");
    }
    json_.Field("launches_without_kernel", trust.launches_without_kernel);
    json_.Field("kernels_without_launch", trust.kernels_without_launch);
    json_.Field("level", trust.level);
    json_.Key("why");
    trust.level_reason.empty() ? json_.Null() : json_.Value(trust.level_reason);
    json_.Field("overhead_ns", trust.overhead_ns);
    json_.Key("overhead_includes");
    json_.BeginArray();
    if (trust.overhead_ns) json_.Value("wrappers");
    json_.EndArray();
    json_.Field("cupti_overhead_ns", trust.source_overhead_ns);
    json_.Field("recorded_launches", trust.recorded_launches);
    json_.Field("clock_residual_ns", trust.clock_residual_ns);
    json_.Field("composite_ns", trust.composite_ns);
    json_.Field("not_observed_ns", trust.not_observed_ns);
    WriteCut(trust);
    json_.EndObject();
  }

  void WriteCut(const TrustFigures& trust) {
    json_.Field("cut_processes", trust.cut_processes);
    json_.Key("cut");
    if (!trust.cut) return json_.Null();
    json_.BeginObject();
    json_.Field("last_ns", trust.cut->last_ns);
    json_.Field("gpu_ns", trust.cut->gpu_ns);
    json_.EndObject();
  }

  const Summary& summary_;
  const Figures& figures_;
  const JsonLayers layers_;
  const bool imported_;
  JsonWriter json_;
};

}  // namespace

std::string JsonReport(const Summary& summary, const Figures& figures,
                       JsonLayers layers) {
  return ReportWriter(summary, figures, layers).Run();
}

}  // namespace dltap::analyzer
