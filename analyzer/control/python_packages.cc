// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/python_packages.h"

#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "analyzer/control/command_files.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestText = 1 << 16;

// ---- pyenv -----------------------------------------------------------------

// The first line; empty where there is no such file.
std::string LineOf(const fs::path& path) {
  const auto lines = Split(ReadText(path, kLargestText), '\n');
  return lines.empty() ? ""
                       : std::string(absl::StripAsciiWhitespace(lines[0]));
}

// Of the shell, the project, or all: what `pyenv version` says first.
std::string ChosenVersion(const fs::path& root,
                          const Environment& environment) {
  const auto of_shell = Split(VariableOf(environment, "PYENV_VERSION"), ':');
  if (!of_shell.empty()) return of_shell[0];
  std::error_code error;
  fs::path folder = fs::current_path(error);
  while (!error && !folder.empty()) {
    const std::string line = LineOf(folder / ".python-version");
    if (!line.empty()) return line;
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return LineOf(root / "version");
}

// "3.11" stands for the newest 3.11.x.
fs::path FolderOfVersion(const fs::path& versions, const std::string& version) {
  std::error_code error;
  if (fs::is_directory(versions / version, error)) return versions / version;
  const auto patch = [&](const fs::path& folder) {
    return std::atoi(folder.filename().c_str() + version.size() + 1);
  };
  fs::path newest;
  for (fs::directory_iterator it(versions, error), end; !error && it != end;
       it.increment(error)) {
    if (!it->path().filename().string().starts_with(version + ".")) continue;
    if (newest.empty() || patch(it->path()) > patch(newest)) {
      newest = it->path();
    }
  }
  return newest;
}

// A shim is a shell script of the name of what it stands for. Empty: `script`
// is none, or nobody knows what for.
fs::path BehindShim(const fs::path& script, const Environment& environment) {
  if (script.parent_path().filename() != "shims") return {};
  const fs::path root = script.parent_path().parent_path();
  const std::string version = ChosenVersion(root, environment);
  if (version.empty() || version == "system") {
    for (const auto& folder : Split(VariableOf(environment, "PATH"), ':')) {
      if (folder == script.parent_path()) continue;
      Environment elsewhere = {{"PATH", folder}};
      fs::path found = Executable(script.filename().string(), elsewhere);
      if (!found.empty()) return found;
    }
    return {};
  }
  std::error_code error;
  const fs::path found =
      FolderOfVersion(root / "versions", version) / "bin" / script.filename();
  return fs::is_regular_file(found, error) ? found : fs::path();
}

// ---- Folders ---------------------------------------------------------------

// "3.11", where the name of the file says it; it may be a link.
std::string VersionOf(const fs::path& python) {
  constexpr size_t kPrefix = 6;  // of python3.11
  std::error_code error;
  for (const fs::path& path : {python, fs::canonical(python, error)}) {
    const std::string name = path.filename().string();
    if (IsPython(path) && name.find('.') != std::string::npos) {
      return name.substr(kPrefix);
    }
  }
  return "";
}

class Folders {
 public:
  explicit Folders(std::string version) : version_(std::move(version)) {}

  // False: it is there already, or missing.
  bool Add(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !seen_.insert(real).second) return false;
    found_.push_back(folder);
    return true;
  }

  // Those below `prefix`, of all versions if nobody knows which.
  void AddPrefix(const fs::path& prefix) {
    std::error_code error;
    for (fs::directory_iterator it(prefix / "lib", error), end;
         !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (!IsPython(it->path()) ||
          (!version_.empty() && name != "python3" &&
           name != "python" + version_)) {
        continue;
      }
      AddSite(it->path() / "site-packages");
      AddSite(it->path() / "dist-packages");
    }
    // Where pip installs to with Debian's Python.
    if (prefix == "/usr") AddPrefix("/usr/local");
  }

  std::vector<fs::path> Take() && { return std::move(found_); }

 private:
  // With the folders that its *.pth files name, a line each.
  void AddSite(const fs::path& site) {
    if (!Add(site)) return;
    std::error_code error;
    for (fs::directory_iterator it(site, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() != ".pth") continue;
      for (const std::string& line :
           Split(ReadText(it->path(), kLargestText), '\n')) {
        if (line.starts_with('#') || line.starts_with("import")) continue;
        Add(site / std::string(absl::StripAsciiWhitespace(line)));
      }
    }
  }

  std::string version_;
  std::vector<fs::path> found_;
  std::set<fs::path> seen_;  // without links
};

// pyvenv.cfg of PEP 405, if there is one.
struct VirtualEnvironment {
  std::string home;  // bin of the Python that it was made from
  bool sees_system = false;
};

std::optional<VirtualEnvironment> VirtualEnvironmentAt(const fs::path& prefix) {
  std::error_code error;
  if (!fs::is_regular_file(prefix / "pyvenv.cfg", error)) return std::nullopt;
  VirtualEnvironment found;
  for (const std::string& line :
       Split(ReadText(prefix / "pyvenv.cfg", kLargestText), '\n')) {
    const std::pair<std::string, std::string> setting =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const auto key = absl::StripAsciiWhitespace(setting.first);
    const auto value = absl::StripAsciiWhitespace(setting.second);
    if (key == "home") found.home = std::string(value);
    if (key == "include-system-site-packages") {
      found.sees_system = absl::EqualsIgnoreCase(value, "true");
    }
  }
  return found;
}

void AddUsers(const Environment& environment, Folders& folders) {
  if (!VariableOf(environment, "PYTHONNOUSERSITE").empty()) return;
  const std::string base = VariableOf(environment, "PYTHONUSERBASE");
  const std::string home = VariableOf(environment, "HOME");
  if (!base.empty()) {
    folders.AddPrefix(base);
  } else if (!home.empty()) {
    folders.AddPrefix(fs::path(home) / ".local");
  }
}

}  // namespace

bool IsPython(const fs::path& path) {
  return path.filename().string().starts_with("python");
}

fs::path InterpreterOf(const fs::path& script, const Environment& environment) {
  const fs::path meant = BehindShim(script, environment);
  const fs::path& file = meant.empty() ? script : meant;
  const std::string head = ReadText(file, 256);
  if (!head.starts_with("#!")) return file;
  const auto words = Split(head.substr(2, head.find('\n') - 2), ' ');
  if (words.empty()) return file;
  const bool by_env = fs::path(words[0]).filename() == "env";
  const fs::path interpreter =
      Executable(by_env && words.size() > 1 ? words[1] : words[0], environment);
  const fs::path behind = BehindShim(interpreter, environment);
  return behind.empty() ? interpreter : behind;
}

std::vector<fs::path> PackageFolders(const fs::path& python,
                                     const Environment& environment) {
  Folders folders(VersionOf(python));
  for (const auto& folder : Split(VariableOf(environment, "PYTHONPATH"), ':')) {
    folders.Add(folder);
  }
  const fs::path prefix = python.parent_path().parent_path();
  const auto virtual_environment = VirtualEnvironmentAt(prefix);
  const bool sees_system =
      !virtual_environment || virtual_environment->sees_system;
  if (sees_system) AddUsers(environment, folders);
  folders.AddPrefix(prefix);
  if (!sees_system) return std::move(folders).Take();
  if (virtual_environment && !virtual_environment->home.empty()) {
    folders.AddPrefix(fs::path(virtual_environment->home).parent_path());
  }
  // Without a pyvenv.cfg the link's own place does not count.
  std::error_code error;
  const fs::path real = fs::canonical(python, error);
  if (!error) folders.AddPrefix(real.parent_path().parent_path());
  return std::move(folders).Take();
}

}  // namespace dltap::analyzer
