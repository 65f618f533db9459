// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/install_paths.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// Relative to bin/.
constexpr std::string_view kTapPlaces[] = {"../lib/libdltap.so",
                                           "../lib/dltap/libdltap.so"};
constexpr std::string_view kSimPlaces[] = {"../simgpu", "../lib/dltap/simgpu"};

// By file name up to ".so": needed ones first. Others follow by name.
constexpr std::string_view kLoadOrder[] = {
    "libdltapsim", "libcuda",      "libnvidia-ml", "libcudart",
    "libnvrtc",    "libnvJitLink", "libcublasLt",  "libcublas",
    "libcudnn",    "libnccl",      "libcupti"};

size_t OrderOf(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const std::string_view stem =
      std::string_view(name).substr(0, name.find(".so"));
  return std::find(std::begin(kLoadOrder), std::end(kLoadOrder), stem) -
         std::begin(kLoadOrder);
}

// The vendor's, and libdltapsim: what it answers in the C library's place
// (device files, the end by _exit) must come before the C library.
bool IsSimulatedLibrary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("lib") && name.find(".so") != std::string::npos;
}

}  // namespace

InstallPaths InstallPaths::OfThisProgram() {
  std::error_code error;
  return InstallPaths(
      fs::read_symlink("/proc/self/exe", error).parent_path().string());
}

absl::StatusOr<std::string> InstallPaths::Tap() const {
  std::error_code error;
  for (const std::string_view place : kTapPlaces) {
    const fs::path path =
        fs::weakly_canonical(fs::path(bin_dir_) / place, error);
    if (fs::is_regular_file(path, error)) return path.string();
  }
  return absl::NotFoundError(
      "libdltap.so is not in " +
      fs::weakly_canonical(fs::path(bin_dir_) / "../lib", error).string() +
      "; build or install it with this program");
}

absl::StatusOr<std::string> InstallPaths::SparkScript() const {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(
      fs::path(bin_dir_) / "../share/dltap/spark/spark_query.py", error);
  if (fs::is_regular_file(path, error)) return path.string();
  return absl::NotFoundError(
      path.string() + " is not there; build or install it with this program");
}

absl::StatusOr<std::vector<std::string>> InstallPaths::SimulatedLibraries(
    const std::string& profile) const {
  std::vector<std::string> libraries;
  std::error_code error;
  for (const std::string_view place : kSimPlaces) {
    const fs::path dir =
        fs::weakly_canonical(fs::path(bin_dir_) / place / profile, error);
    fs::directory_iterator it(dir, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      if (IsSimulatedLibrary(it->path())) {
        libraries.push_back(it->path().string());
      }
    }
    if (!libraries.empty()) break;
  }
  if (libraries.empty()) {
    return absl::NotFoundError(
        "no simulated libraries in " +
        fs::weakly_canonical(fs::path(bin_dir_) / "../simgpu" / profile, error)
            .string() +
        "; build or install them with this program");
  }
  std::sort(libraries.begin(), libraries.end(),
            [](const std::string& a, const std::string& b) {
              const size_t order_a = OrderOf(a), order_b = OrderOf(b);
              return order_a != order_b ? order_a < order_b : a < b;
            });
  return libraries;
}

}  // namespace dltap::analyzer
