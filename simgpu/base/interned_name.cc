// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/interned_name.h"

#include <mutex>
#include <string>
#include <unordered_set>

namespace dltap::simgpu {

const char* InternName(const char* name) {
  struct Names {
    std::mutex mutex;
    std::unordered_set<std::string> set;
  };
  static auto* const names = new Names;
  const std::lock_guard lock(names->mutex);
  return names->set.insert(name).first->c_str();
}

}  // namespace dltap::simgpu
