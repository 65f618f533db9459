// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/program_linkage.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "analyzer/control/command_files.h"
#include "analyzer/control/cuda_major.h"
#include "analyzer/control/python_packages.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// The library of a framework that calls CUDA, in site-packages. A folder: all
// libraries in it.
struct FrameworkLibrary {
  std::string_view framework;
  std::string_view path;
};
constexpr FrameworkLibrary kLibraries[] = {
    {"torch", "torch/lib/libtorch_cuda.so"},
    {"tensorflow", "tensorflow/libtensorflow_cc.so.2"},
    {"jax", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
    {"jax", "jax_plugins/xla_cuda13/xla_cuda_plugin.so"},
    {"onnxruntime", "onnxruntime/capi/libonnxruntime_providers_cuda.so"},
    {"triton", "triton/_C/libtriton.so"},
    {"mxnet", "mxnet/libmxnet.so"},
};

// Where wheels put CUPTI.
constexpr std::string_view kCuptiPlaces[] = {
    "nvidia/cuda_cupti/lib", "nvidia/cu13/lib", "nvidia/cu12/lib"};

// As the kernel decides it when the program is started from here. The first
// user gains nothing by capabilities.
bool GainsRights(const fs::path& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return false;
  const bool other_user =
      (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
  constexpr mode_t kGroup = S_ISGID | S_IXGRP;
  const bool other_group =
      (status.st_mode & kGroup) == kGroup && status.st_gid != getgid();
  return other_user || other_group ||
         (getuid() != 0 &&
          getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
}

// Of what lies in several folders Python imports the first.
void LookAtPackages(const std::vector<fs::path>& folders, ProgramLinkage& out) {
  std::error_code error;
  for (const FrameworkLibrary& library : kLibraries) {
    const auto folder = std::ranges::find_if(folders, [&](const auto& f) {
      return fs::is_regular_file(f / library.path, error);
    });
    if (folder == folders.end()) continue;
    out.frameworks.emplace_back(library.framework);
    const fs::path path = *folder / library.path;
    const auto elf = ReadElf(path.string());
    if (elf && elf->has_static_cudart) out.static_cudart.push_back(path);
  }
  for (const fs::path& folder : folders) {
    for (const std::string_view place : kCuptiPlaces) {
      if (fs::is_directory(folder / place, error)) {
        out.cupti_folders.push_back(folder / place);
      }
    }
  }
}

}  // namespace

ProgramLinkage LookAtProgram(const std::vector<std::string>& command,
                             const Environment& environment) {
  ProgramLinkage out;
  out.command = command.empty() ? "" : command[0];
  const fs::path file = Executable(out.command, environment);
  const fs::path program = InterpreterOf(file, environment);
  if (program.empty()) return out;
  out.executable = program.string();
  out.is_script = program != file;
  // The kernel ignores the bits of a script.
  out.gains_rights = GainsRights(program);
  if (auto elf = ReadElf(program.string())) {
    out.is_elf = true;
    out.elf = *std::move(elf);
  }
  out.cuda_major = GuessCudaMajor(command, environment).value_or(kNewestCuda);
  out.is_python = IsPython(program);
  if (!out.is_python) return out;
  LookAtPackages(PackageFolders(program, environment), out);
  return out;
}

}  // namespace dltap::analyzer
