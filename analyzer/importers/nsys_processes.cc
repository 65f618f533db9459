// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys_processes.h"

namespace dltap::analyzer {

ThreadId NsysProcess::ThreadOf(int64_t global_tid) {
  const auto [it, is_new] =
      threads_.try_emplace(TidOf(global_tid), process.threads.size());
  if (is_new) process.threads.push_back({TidOf(global_tid), ""});
  return ThreadId(it->second);
}

ThreadId NsysProcess::FindThread(int64_t global_tid) const {
  const auto it = threads_.find(TidOf(global_tid));
  return it == threads_.end() ? ThreadId() : ThreadId(it->second);
}

DeviceId NsysProcess::DeviceOf(int64_t ordinal) {
  const auto [it, is_new] =
      devices_.try_emplace(ordinal, process.devices.size());
  if (is_new) {
    process.devices.emplace_back().ordinal = static_cast<int>(ordinal);
  }
  return DeviceId(it->second);
}

StreamId NsysProcess::StreamOf(DeviceId device, int64_t context,
                               int64_t number) {
  const auto [it, is_new] = streams_.try_emplace(
      std::tuple(device.value(), context, number), process.streams.size());
  if (is_new) {
    process.streams.push_back({device, static_cast<uint64_t>(number),
                               static_cast<uint32_t>(context)});
  }
  return StreamId(it->second);
}

NsysProcess& NsysProcesses::Of(int64_t global_id) {
  if (ProcessKeyOf(global_id) == 0) global_id = nameless_;
  const auto [it, is_new] =
      of_key_.try_emplace(ProcessKeyOf(global_id), processes_.size());
  if (is_new) processes_.push_back(std::make_unique<NsysProcess>(global_id));
  return *processes_[it->second];
}

NsysProcess* NsysProcesses::Find(int64_t global_id) {
  if (ProcessKeyOf(global_id) == 0) global_id = nameless_;
  const auto it = of_key_.find(ProcessKeyOf(global_id));
  return it == of_key_.end() ? nullptr : processes_[it->second].get();
}

}  // namespace dltap::analyzer
