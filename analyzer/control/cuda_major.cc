// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/cuda_major.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// Where a framework says which CUDA it is built for.
struct Framework {
  std::string_view module;  // as a script imports it
  std::string_view file;    // in site-packages; a folder if `before` is empty
  std::string_view before;  // the version follows this text
  int major;                // of a folder
};

constexpr Framework kFrameworks[] = {
    {"torch", "torch/version.py", "cuda: Optional[str] = '", 0},
    {"tensorflow", "tensorflow/python/platform/build_info.py",
     "('cuda_version', '", 0},
    {"onnxruntime", "onnxruntime/capi/build_and_package_info.py",
     "cuda_version = '", 0},
    {"jax", "jax_cuda12_plugin", "", 12},
    {"jax", "jax_cuda13_plugin", "", 13},
};

constexpr std::string_view kRuntime = "libcudart.so.";

std::string Read(const fs::path& path, size_t limit) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return {};
  std::ifstream file(path, std::ios::binary);
  std::string text(std::min<size_t>(bytes, limit), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// 12 or 13 where `text` goes on with it at `position`.
std::optional<int> MajorAt(std::string_view text, size_t position) {
  const std::string_view digits = text.substr(position, 2);
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

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string ValueOf(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

// The file that a word of the command runs; empty: none.
fs::path Executable(const std::string& word, const Environment& environment) {
  std::error_code error;
  if (word.find('/') != std::string::npos) {
    return fs::is_regular_file(word, error) ? fs::path(word) : fs::path();
  }
  for (const std::string& folder : Split(ValueOf(environment, "PATH"), ':')) {
    const fs::path path = fs::path(folder) / word;
    if (fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

bool IsPython(const fs::path& path) {
  return path.filename().string().starts_with("python");
}

// Follows "#!": /usr/bin/env names the interpreter by its first word.
fs::path InterpreterOf(const fs::path& script, const Environment& environment) {
  const std::string head = Read(script, 256);
  if (!head.starts_with("#!")) return script;
  const auto words = Split(head.substr(2, head.find('\n') - 2), ' ');
  if (words.empty()) return script;
  const bool by_env = fs::path(words[0]).filename() == "env";
  return Executable(by_env && words.size() > 1 ? words[1] : words[0],
                    environment);
}

// Not resolved: the link of a virtual environment lies beside its packages.
std::vector<fs::path> PackageFolders(const fs::path& python,
                                     const Environment& environment) {
  std::vector<fs::path> folders;
  for (const auto& folder : Split(ValueOf(environment, "PYTHONPATH"), ':')) {
    folders.emplace_back(folder);
  }
  const fs::path prefix = python.parent_path().parent_path();
  std::error_code error;
  for (fs::directory_iterator it(prefix / "lib", error), end;
       !error && it != end; it.increment(error)) {
    if (!IsPython(it->path())) continue;
    folders.push_back(it->path() / "site-packages");
    folders.push_back(it->path() / "dist-packages");
  }
  return folders;
}

std::set<int> MajorsOf(const Framework& framework, const fs::path& folder) {
  constexpr size_t kLargest = 1 << 16;
  std::error_code error;
  const fs::path path = folder / framework.file;
  if (framework.before.empty()) {
    return fs::is_directory(path, error) ? std::set<int>{framework.major}
                                         : std::set<int>{};
  }
  return MajorsAfter(Read(path, kLargest), framework.before);
}

// Of the frameworks that are there, or of those that `script` names.
std::set<int> InstalledMajors(const std::vector<fs::path>& folders,
                              const std::optional<std::string>& script) {
  std::set<int> majors;
  for (const Framework& framework : kFrameworks) {
    if (script && script->find(framework.module) == std::string::npos) continue;
    for (const fs::path& folder : folders) {
      majors.merge(MajorsOf(framework, folder));
    }
  }
  return majors;
}

// Text of the first word of the command that is a Python script.
std::string ScriptText(const std::vector<std::string>& command) {
  constexpr size_t kLargest = 1 << 20;
  for (const std::string& word : command) {
    if (word.ends_with(".py")) return Read(word, kLargest);
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

int GuessCudaMajor(const std::vector<std::string>& command,
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
      majors = MajorsAfter(Read(program, kLargestProgram), kRuntime);
    }
    if (majors.size() == 1) return *majors.begin();
  }
  return kNewestCuda;
}

}  // namespace dltap::analyzer
