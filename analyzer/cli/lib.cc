// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "analyzer/cli/command.h"
#include "analyzer/control/install_paths.h"

namespace dltap::analyzer {

int RunLib(const std::vector<std::string>& args) {
  CLI::App app("Print the path of libdltap.so, for LD_PRELOAD.", "dltap lib");
  if (const auto code = ParseArgs(app, args)) return *code;
  const absl::StatusOr<std::string> path = InstallPaths::OfThisProgram().Tap();
  if (!path.ok()) return Fail(path.status());
  std::puts(path->c_str());
  return kExitOk;
}

}  // namespace dltap::analyzer
