// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "analyzer/cli/command.h"
#include "analyzer/control/install_paths.h"
#include "analyzer/control/tap_version.h"

namespace dltap::analyzer {

int PrintVersions() {
  std::puts("dltap " DLTAP_VERSION);
  const absl::StatusOr<std::string> tap = InstallPaths::OfThisProgram().Tap();
  if (!tap.ok()) {
    std::puts("libdltap is not installed with it");
    return kExitOk;
  }
  const std::string version = TapVersion(*tap).value_or("of unknown version");
  std::printf("libdltap %s (%s)\n", version.c_str(), tap->c_str());
  return kExitOk;
}

}  // namespace dltap::analyzer
