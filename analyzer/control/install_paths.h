// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_INSTALL_PATHS_H_
#define DLTAP_ANALYZER_CONTROL_INSTALL_PATHS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// Where this program's own files lie, found from the folder it runs in: the
// build tree and an unpacked tarball have the same layout (bin/, lib/,
// simgpu/), so the whole may be moved.
class InstallPaths {
 public:
  // `bin_dir`: the folder of the running program.
  explicit InstallPaths(std::string bin_dir) : bin_dir_(std::move(bin_dir)) {}
  static InstallPaths OfThisProgram();

  // libdltap.so, absolute.
  absl::StatusOr<std::string> Tap() const;

  // spark_query.py, absolute.
  absl::StatusOr<std::string> SparkScript() const;

  // What scripts/setup.sh wrote, where this program lies in a build tree.
  std::string ToolchainFile() const { return bin_dir_ + "/../toolchain.env"; }

  // The simulated CUDA libraries of one profile ("cu13"), absolute, each
  // behind those it needs.
  absl::StatusOr<std::vector<std::string>> SimulatedLibraries(
      const std::string& profile) const;

 private:
  std::string bin_dir_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_INSTALL_PATHS_H_
