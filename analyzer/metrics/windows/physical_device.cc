// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/physical_device.h"

#include <map>
#include <string>
#include <tuple>

#include "analyzer/metrics/base/selection.h"

namespace dltap::analyzer {
namespace {

// Equal for what is one device: host, UUID, and what tells devices without
// one apart.
using Identity = std::tuple<std::string, std::string, std::string>;

Identity IdentityOf(const TraceModel& model, const DeviceMember& member) {
  const Process& process = model.processes[member.process];
  const Device& device = process.devices[member.device.value()];
  if (!device.uuid.empty()) return {process.host, PlainUuid(device.uuid), ""};
  const std::string ordinal = std::to_string(device.ordinal);
  if (process.host.empty()) {
    return {"", "", std::to_string(member.process) + " " + ordinal};
  }
  const std::string rank =
      process.rank ? std::to_string(*process.rank) + " " : "";
  return {process.host, "", rank + ordinal};
}

}  // namespace

std::vector<PhysicalDevice> PhysicalDevices(const TraceModel& model) {
  std::vector<std::vector<bool>> used;
  for (const Process& process : model.processes) {
    std::vector<bool>& of_process = used.emplace_back(process.devices.size());
    for (const Activity& activity : process.activities) {
      of_process[activity.device.value()] = true;
    }
  }
  return PhysicalDevices(model, used);
}

std::vector<PhysicalDevice> PhysicalDevices(
    const TraceModel& model, const std::vector<std::vector<bool>>& used) {
  std::vector<PhysicalDevice> devices;
  std::map<Identity, size_t> known;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    for (size_t d = 0; d < used[p].size(); ++d) {
      if (!used[p][d]) continue;
      const DeviceMember member{p, DeviceId(d)};
      const auto [it, is_new] =
          known.try_emplace(IdentityOf(model, member), devices.size());
      if (is_new) devices.emplace_back();
      devices[it->second].push_back(member);
    }
  }
  return devices;
}

}  // namespace dltap::analyzer
