// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/doctor.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/choices.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/gpu_option.h"
#include "analyzer/control/cuda_major.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {
namespace {

struct Options {
  std::string gpu = "real";
  bool json = false;
  std::vector<std::string> command;
};

const char* WordOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood: return "ok";
    case Verdict::kNote: return "note";
    case Verdict::kLost: return "lost";
    case Verdict::kNothing: return "nothing";
  }
  return "unknown";
}

bool IsComplete(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.verdict == Verdict::kGood || f.verdict == Verdict::kNote;
  });
}

void PrintText(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    std::printf("%-8s %s", WordOf(finding.verdict), finding.text.c_str());
    if (!finding.advice.empty()) std::printf("; %s", finding.advice.c_str());
    std::printf("\n");
  }
  std::puts(IsComplete(findings) ? "all will be seen" : "not all will be seen");
}

void PrintJson(const std::vector<Finding>& findings) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", "dltap.doctor");
  json.Field("version", 1);
  json.Field("complete", IsComplete(findings));
  json.Key("findings");
  json.BeginArray();
  for (const Finding& finding : findings) {
    json.BeginObject();
    json.Field("subject", finding.subject);
    json.Field("verdict", WordOf(finding.verdict));
    json.Field("text", finding.text);
    json.Field("advice", finding.advice);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  std::puts(json.Take().c_str());
}

std::optional<int> Parse(std::vector<std::string> args, Options& options) {
  CLI::App app(
      "Say what a recording will see and what not, a line each with what to "
      "do. Nothing is run. Exit code 0 when all will be seen, 1 when not.",
      "dltap doctor");
  app.footer("dltap doctor [OPTIONS] [-- COMMAND...]");
  Suggest(app.add_option("--gpu", options.gpu,
                         "real, or sim:NAME, as of dltap run"),
          GpuOptionValues());
  app.add_flag("--json", options.json, "as JSON");
  const auto dashes = std::find(args.begin(), args.end(), "--");
  if (const auto code = ParseArgs(app, {args.begin(), dashes})) return code;
  if (dashes != args.end()) options.command.assign(dashes + 1, args.end());
  return std::nullopt;
}

}  // namespace

int RunDoctor(const std::vector<std::string>& args) {
  Options options;
  if (const auto code = Parse(args, options)) return *code;
  const auto gpu = ParseGpu(options.gpu);
  if (!gpu.ok()) return FailUsage("doctor", gpu.status());
  Environment environment = CurrentEnvironment();
  if (*gpu != nullptr) environment["DLTAP_SIM_GPU"] = (*gpu)->name;
  std::optional<ProgramLinkage> program;
  if (!options.command.empty()) {
    program = LookAtProgram(options.command, environment);
  }
  const MachineFacts machine = LookAtMachine(
      environment, program ? program->cuda_major : kNewestCuda,
      program ? program->cupti_folders : std::vector<std::string>());
  const std::vector<Finding> findings =
      Diagnose(program ? &*program : nullptr, machine);
  options.json ? PrintJson(findings) : PrintText(findings);
  return IsComplete(findings) ? kExitOk : kExitThreshold;
}

}  // namespace dltap::analyzer
