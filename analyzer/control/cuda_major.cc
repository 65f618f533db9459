// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/cuda_major.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "analyzer/control/command_files.h"
#include "analyzer/control/elf_linkage.h"
#include "analyzer/control/python_packages.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// Where a framework says which CUDA it is built for.
struct Framework {
  std::string_view module;  // as a script imports it
  std::string_view file;    // in site-packages; a folder if `before` is empty
  std::string_view before;  // the version follows this text, or kLinked
  int major;                // of a folder
};

// The file is a library: the runtime that it is linked to says it.
constexpr std::string_view kLinked = "(linked)";

constexpr Framework kFrameworks[] = {
    {"torch", "torch/version.py", "cuda: Optional[str] = '", 0},
    {"torch", "torch/version.py", "\ncuda = '", 0},  // before 2.1
    {"mxnet", "mxnet/libmxnet.so", kLinked, 0},
    {"tensorflow", "tensorflow/python/platform/build_info.py",
     "('cuda_version', '", 0},
    {"onnxruntime", "onnxruntime/capi/build_and_package_info.py",
     "cuda_version = '", 0},
    {"jax", "jax_cuda12_plugin", "", 12},
    {"jax", "jax_cuda13_plugin", "", 13},
};

constexpr std::string_view kRuntime = "libcudart.so.";

// 11, 12 or 13 where `text` goes on with it at `position`.
std::optional<int> MajorAt(std::string_view text, size_t position) {
  const std::string_view digits = text.substr(position, 2);
  if (digits == "11") return 11;
  if (digits == "12") return 12;
  if (digits == "13") return 13;
  return std::nullopt;
}

std::set<int> MajorsAfter(std::string_view text, std::string_view before) {
  std::set<int> majors;
  for (size_t at = text.find(before); at != std::string_view::npos;
       at = text.find(before, at + 1)) {
    if (const auto major = MajorAt(text, at + before.size())) {
      majors.insert(*major);
    }
  }
  return majors;
}

std::set<int> LinkedMajors(const fs::path& library) {
  std::set<int> majors;
  const auto elf = ReadElf(library.string());
  if (!elf) return majors;
  for (const std::string& needed : elf->needed) {
    majors.merge(MajorsAfter(needed, kRuntime));
  }
  return majors;
}

std::set<int> MajorsOf(const Framework& framework, const fs::path& folder) {
  constexpr size_t kLargest = 1 << 16;
  std::error_code error;
  const fs::path path = folder / framework.file;
  if (framework.before.empty()) {
    return fs::is_directory(path, error) ? std::set<int>{framework.major}
                                         : std::set<int>{};
  }
  if (framework.before == kLinked) return LinkedMajors(path);
  return MajorsAfter(ReadText(path, kLargest), framework.before);
}

// Of the frameworks that are there, or of those that `script` names.
std::set<int> InstalledMajors(const std::vector<fs::path>& folders,
                              const std::optional<std::string>& script) {
  std::set<int> majors;
  for (const Framework& framework : kFrameworks) {
    if (script && script->find(framework.module) == std::string::npos) continue;
    // Python imports the first one that it finds.
    for (const fs::path& folder : folders) {
      std::set<int> here = MajorsOf(framework, folder);
      if (here.empty()) continue;
      majors.merge(here);
      break;
    }
  }
  return majors;
}

// Text of the first word of the command that is a Python script.
std::string ScriptText(const std::vector<std::string>& command) {
  constexpr size_t kLargest = 1 << 20;
  for (const std::string& word : command) {
    if (word.ends_with(".py")) return ReadText(word, kLargest);
  }
  return {};
}

std::set<int> PythonMajors(const fs::path& python,
                           const std::vector<std::string>& command,
                           const Environment& environment) {
  const auto folders = PackageFolders(python, environment);
  const std::set<int> all = InstalledMajors(folders, std::nullopt);
  if (all.size() < 2) return all;
  return InstalledMajors(folders, ScriptText(command));
}

}  // namespace

std::optional<int> GuessCudaMajor(const std::vector<std::string>& command,
                                  const Environment& environment) {
  constexpr size_t kLargestProgram = size_t{256} << 20;
  for (size_t i = 0; i < command.size(); ++i) {
    fs::path program = Executable(command[i], environment);
    if (program.empty()) continue;
    program = InterpreterOf(program, environment);
    std::set<int> majors;
    if (IsPython(program)) {
      majors = PythonMajors(program, command, environment);
    } else if (i == 0) {
      majors = MajorsAfter(ReadText(program, kLargestProgram), kRuntime);
    }
    if (majors.size() == 1) return *majors.begin();
  }
  return std::nullopt;
}

}  // namespace dltap::analyzer
