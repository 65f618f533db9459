// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/launch_log.h"

#include <cstdio>
#include <string>

#include "simgpu/base/config.h"

namespace dltap::simgpu {
namespace {

std::FILE* OpenLog() {
  const std::string& path = GetConfig().launches_path;
  if (path.empty()) return nullptr;
  const std::string expanded = ExpandPid(path);
  std::FILE* log = std::fopen(expanded.c_str(), "w");
  if (log == nullptr) {
    std::fprintf(stderr, "dltap: simgpu: cannot write DLTAP_SIM_LAUNCHES=%s\n",
                 expanded.c_str());
    return nullptr;
  }
  std::setvbuf(log, nullptr, _IOLBF, 0);
  return log;
}

}  // namespace

void LogLaunch(const KernelWork& kernel, const Stream& stream) {
  static std::FILE* const log = OpenLog();
  if (log == nullptr) return;
  std::fprintf(log, "%s <<<%u,%u,%u %u,%u,%u %u %u>>>\n", kernel.name,
               kernel.grid.x, kernel.grid.y, kernel.grid.z, kernel.block.x,
               kernel.block.y, kernel.block.z, kernel.dynamic_shared_bytes,
               stream.id);
}

}  // namespace dltap::simgpu
