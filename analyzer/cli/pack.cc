// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/pack/pack.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string trace;
  std::string output;
  bool unpack = false;
};

// "run1/" packs into "run1.dltappack", which unpacks into "run1".
std::string DefaultOutput(const Options& options) {
  fs::path path = fs::path(options.trace).lexically_normal();
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

}  // namespace

int RunPack(const std::vector<std::string>& args) {
  Options options;
  CLI::App app(
      "Pack a trace into one small file, for keeping; every command reads it "
      "as it is.",
      "dltap pack");
  app.add_option("TRACE", options.trace, "a directory or file")->required();
  app.add_option("-o,--output", options.output,
                 "the new file; default: TRACE.dltappack. With -d the folder");
  app.add_flag("-d,--unpack", options.unpack,
               "unpack: gives back the files as they were");
  if (const auto code = ParseArgs(app, args)) return *code;
  if (options.output.empty()) options.output = DefaultOutput(options);
  const absl::Status status = options.unpack
                                  ? UnpackInto(options.trace, options.output)
                                  : PackTrace(options.trace, options.output);
  if (!status.ok()) return Fail(status);
  std::puts(options.output.c_str());
  return kExitOk;
}

}  // namespace dltap::analyzer
