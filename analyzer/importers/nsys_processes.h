// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_NSYS_PROCESSES_H_
#define DLTAP_ANALYZER_IMPORTERS_NSYS_PROCESSES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/importers/launch_shape_table.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Nsight Systems packs machine, process and thread into one number:
// 16 bits of hardware and VM, 24 bits pid, 24 bits tid.
inline uint64_t ProcessKeyOf(int64_t global_id) {
  return static_cast<uint64_t>(global_id) >> 24;
}
inline uint64_t PidOf(int64_t global_id) {
  return ProcessKeyOf(global_id) & 0xFFFFFF;
}
inline uint64_t TidOf(int64_t global_id) {
  return static_cast<uint64_t>(global_id) & 0xFFFFFF;
}

// One process of an export, and where its ids are in the model.
class NsysProcess {
 public:
  explicit NsysProcess(int64_t global_id) {
    process.pid = static_cast<int64_t>(PidOf(global_id));
    process.level = "kernels";
  }

  ThreadId ThreadOf(int64_t global_tid);
  // None: the process has no such thread with events.
  ThreadId FindThread(int64_t global_tid) const;
  DeviceId DeviceOf(int64_t ordinal);
  StreamId StreamOf(DeviceId device, int64_t context, int64_t number);

  Process process;
  LaunchShapeTable shapes;

 private:
  absl::flat_hash_map<uint64_t, size_t> threads_;
  absl::flat_hash_map<int64_t, size_t> devices_;
  absl::flat_hash_map<std::tuple<size_t, int64_t, int64_t>, size_t> streams_;
};

// The processes of an export that have events, in the order of their first.
class NsysProcesses {
 public:
  // Whose the events are that name no process.
  void SetNameless(int64_t global_id) { nameless_ = global_id; }
  NsysProcess& Of(int64_t global_id);
  // nullptr: no events.
  NsysProcess* Find(int64_t global_id);
  std::vector<std::unique_ptr<NsysProcess>>& all() { return processes_; }

 private:
  std::vector<std::unique_ptr<NsysProcess>> processes_;
  absl::flat_hash_map<uint64_t, size_t> of_key_;
  int64_t nameless_ = 0;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_NSYS_PROCESSES_H_
