// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/visible_devices.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string_view>

#include "simgpu/base/config.h"

namespace dltap::simgpu {
namespace {

constexpr char kUuidPrefix[] = "dltapsim";
constexpr int kNone = -1;

int DeviceOf(const std::string& entry, const std::vector<std::string>& uuids) {
  const auto count = static_cast<long>(uuids.size());
  if (!entry.starts_with("GPU-")) {
    // What follows the digits does not count.
    char* end = nullptr;
    const long number = std::strtol(entry.c_str(), &end, 10);
    const bool is_one = end != entry.c_str() && number >= 0 && number < count;
    return is_one ? static_cast<int>(number) : kNone;
  }
  int found = kNone;
  for (size_t i = 0; i < uuids.size(); ++i) {
    if (!uuids[i].starts_with(entry)) continue;
    if (found != kNone) return kNone;
    found = static_cast<int>(i);
  }
  return found;
}

std::vector<int> ParseVisibleDevices(std::string_view value,
                                     const std::vector<std::string>& uuids) {
  std::vector<int> visible;
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    std::string_view entry = value.substr(0, comma);
    entry.remove_prefix(std::min(entry.find_first_not_of(' '), entry.size()));
    const int device = DeviceOf(std::string(entry), uuids);
    if (device < 0) break;
    if (std::find(visible.begin(), visible.end(), device) != visible.end()) {
      return {};
    }
    visible.push_back(device);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return visible;
}

std::vector<int> OfEnvironment() {
  const Config& config = GetConfig();
  const char* value = std::getenv("CUDA_VISIBLE_DEVICES");
  if (value == nullptr || config.gpu == nullptr) {
    std::vector<int> all(config.device_count);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<std::string> uuids;
  for (int number = 0; number < config.device_count; ++number) {
    uuids.push_back(UuidText(UuidOf(*config.gpu, number)));
  }
  return ParseVisibleDevices(value, uuids);
}

}  // namespace

DeviceUuid UuidOf(const opmodel::GpuSpec& gpu, int number) {
  DeviceUuid uuid = {};
  std::memcpy(uuid.data(), kUuidPrefix, sizeof(kUuidPrefix) - 1);
  uuid[8] = static_cast<uint8_t>(gpu.compute_major);
  uuid[9] = static_cast<uint8_t>(gpu.compute_minor);
  uuid[15] = static_cast<uint8_t>(number + 1);
  return uuid;
}

std::string UuidText(const DeviceUuid& uuid) {
  std::string text = "GPU-";
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char byte[3];
    std::snprintf(byte, sizeof byte, "%02x", uuid[i]);
    text += byte;
  }
  return text;
}

const std::vector<int>& VisibleDevices() {
  // Leaked on purpose: entry points may run after static destructors.
  static const auto* const visible = new std::vector<int>(OfEnvironment());
  return *visible;
}

int NumberOfDevice(int ordinal) {
  const std::vector<int>& visible = VisibleDevices();
  return ordinal >= 0 && ordinal < static_cast<int>(visible.size())
             ? visible[ordinal]
             : ordinal;
}

}  // namespace dltap::simgpu
