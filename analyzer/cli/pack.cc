// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/pack/pack.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/pack_dataset.h"
#include "analyzer/query/gather_ranks.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> traces;
  DatasetOptions dataset;
  std::string output;
  bool unpack = false;
  bool gather = false;
};

// "run1/" packs into "run1.dltappack", which unpacks into "run1".
std::string DefaultOutput(const Options& options) {
  fs::path path = fs::path(options.traces.front()).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (options.unpack) {
    return path.extension() == kPackSuffix ? path.replace_extension().string()
                                           : path.string() + ".unpacked";
  }
  return path.string() + kPackSuffix;
}

absl::StatusOr<ByteSink> NewFile(const fs::path& path) {
  std::shared_ptr<std::FILE> file(
      std::fopen(path.c_str(), "wbx"),
      [](std::FILE* file) { return file == nullptr ? 0 : std::fclose(file); });
  const auto failed = [path] {
    return absl::PermissionDeniedError(
        absl::StrCat(path.string(), ": ", std::strerror(errno)));
  };
  if (file == nullptr) return failed();
  return ByteSink([file, failed](std::string_view bytes) -> absl::Status {
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(),
                                     file.get()) == bytes.size() &&
                         std::fflush(file.get()) == 0;
    return written ? absl::OkStatus() : failed();
  });
}

absl::Status UnpackInto(const std::string& pack, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder, ": ", error.message()));
  }
  return Unpack(pack, [&folder](const PackedFile& file) {
    return NewFile(fs::path(folder) / file.name);
  });
}

absl::Status PackTrace(const std::string& trace, const std::string& target) {
  std::vector<std::string> problems;
  const auto processes = OpenTraceFiles({trace}, &problems);
  if (!processes.ok()) return processes.status();
  for (const std::string& problem : problems) {
    if (!SaysEmpty(problem)) return absl::DataLossError(problem);
    PrintError("left out: " + problem);
  }
  std::vector<std::string> files;
  for (const ProcessFiles& process : *processes) AddNames(process, files);
  return Pack(files, target);
}

int RunPackDataset(const Options& options) {
  absl::Status status;
  if (!options.traces.empty()) {
    status = PackDataset(options.traces, options.dataset);
  }
  if (status.ok() && options.gather) {
    status = GatherRanks(options.dataset.folder, options.dataset.run,
                         /*always=*/true);
  }
  if (absl::IsInvalidArgument(status)) return FailUsage("pack", status);
  if (!status.ok()) return Fail(status);
  std::puts(options.dataset.folder.c_str());
  return kExitOk;
}

}  // namespace

int RunPack(const std::vector<std::string>& args) {
  Options options;
  CLI::App app(
      "Pack a trace into one small file, for keeping; every command reads it "
      "as it is.",
      "dltap pack");
  app.add_option("TRACE", options.traces,
                 "a directory or file; several with --parquet");
  CLI::Option* const output = app.add_option(
      "-o,--output", options.output,
      "the new file; default: TRACE.dltappack. With -d the folder");
  CLI::Option* const unpack =
      app.add_flag("-d,--unpack", options.unpack,
                   "unpack: gives back the files as they were");
  CLI::Option* const parquet =
      app.add_option("--parquet", options.dataset.folder,
                     "add the ranks of the traces to this data set, a folder "
                     "that dltap query asks")
          ->excludes(output)
          ->excludes(unpack);
  app.add_option("--run", options.dataset.run,
                 "the run that they belong to; a rank that it has is replaced")
      ->needs(parquet)
      ->capture_default_str();
  app.add_option("--rank", options.dataset.rank,
                 "the rank of the trace's only process")
      ->needs(parquet)
      ->check(CLI::Range(0, 1'000'000'000));
  app.add_flag("--gather", options.gather,
               "put what is small on each rank of the run into one file a "
               "table, as is done by itself from 64 new ranks on")
      ->needs(parquet);
  if (const auto code = ParseArgs(app, args)) return *code;
  if (options.traces.empty() && !options.gather) {
    return FailUsage("pack", absl::InvalidArgumentError("TRACE is required"));
  }
  if (!options.dataset.folder.empty()) return RunPackDataset(options);
  if (options.traces.size() > 1) {
    return FailUsage("pack", absl::InvalidArgumentError(
                                 "one TRACE at a time, or --parquet"));
  }
  const std::string& trace = options.traces.front();
  if (options.output.empty()) options.output = DefaultOutput(options);
  const absl::Status status = options.unpack ? UnpackInto(trace, options.output)
                                             : PackTrace(trace, options.output);
  if (!status.ok()) return Fail(status);
  std::puts(options.output.c_str());
  return kExitOk;
}

}  // namespace dltap::analyzer
