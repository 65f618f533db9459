// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KINETO_PROCESS_H_
#define DLTAP_ANALYZER_IMPORTERS_KINETO_PROCESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/importers/api_table.h"
#include "analyzer/importers/kineto_event.h"
#include "analyzer/importers/launch_shape_table.h"
#include "analyzer/importers/node_numbers.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Turns the events of one Kineto file into a process of `model`.
class KinetoProcess {
 public:
  explicit KinetoProcess(TraceModel& model);

  // Whether an event of this phase and kind has a place in the model; of
  // the others the arguments need not be read.
  static bool Wants(std::string_view phase, KinetoKind kind);

  void Add(const KinetoEvent& event);
  // `part` of the file has been added: room for what the rest will bring, so
  // that nothing is moved often and room that stays empty is not touched.
  void MakeRoom(double part);
  void AddUnreadable(uint64_t events) { unreadable_ += events; }
  void AddRepaired() { ++repaired_; }
  // The file ended before its JSON did.
  void SetCut() { is_cut_ = true; }
  void SetDevice(int64_t ordinal, const Device& device);
  void SetBaseNs(int64_t base_ns) { base_ns_ = base_ns; }
  Process& process() { return process_; }

  // Events that found a place, and those of them without usable times.
  uint64_t used() const { return used_; }
  uint64_t without_times() const { return without_times_; }
  // Whose calls and ranges these are.
  size_t processes() const { return pids_.size(); }
  // Whether XLA's profiler wrote any.
  bool is_of_xla() const { return is_of_xla_; }

  // Moves the process into the model; nothing may be added after.
  void Finish();

 private:
  void AddMetadata(const KinetoEvent& event);
  void AddCall(const KinetoEvent& event);
  std::string_view NameOf(const KinetoEvent& event);
  void AddRange(const KinetoEvent& event);
  void AddActivity(const KinetoEvent& event);
  void AddSync(const KinetoEvent& event);
  uint16_t StatedClassOf(const KinetoEvent& event);
  CollectiveRecord CollectiveOf(const KinetoEvent& event);
  void JoinCollectives();
  void AddMemory(const KinetoEvent& event);
  OperationId OperationOf(const KinetoEvent& event);
  ThreadId ThreadOf(const KinetoEvent& event);
  DeviceId DeviceOf(int64_t ordinal);
  StreamId StreamOf(DeviceId device, int64_t stream, uint64_t context);
  void JoinOperators();
  void AddBase();
  void AddLosses();

  TraceModel& model_;
  ApiTable apis_;
  Process process_;
  LaunchShapeTable shapes_;
  int64_t base_ns_ = 0;
  uint64_t used_ = 0;
  uint64_t unreadable_ = 0;
  uint64_t without_times_ = 0;
  uint64_t repaired_ = 0;
  bool is_cut_ = false;
  bool is_of_xla_ = false;
  std::vector<uint64_t> ids_;  // External id of each activity
  // External id of each operator and its range; mostly in order.
  std::vector<std::pair<uint64_t, uint32_t>> range_of_id_;
  // Operators that describe a collective, by range.
  absl::flat_hash_map<uint32_t, CollectiveRecord> collective_of_range_;
  std::vector<NodeRange> nodes_;
  std::string last_pid_;
  absl::flat_hash_set<int64_t> pids_;
  std::string last_tid_;
  ThreadId last_thread_;
  absl::flat_hash_map<std::string, size_t> threads_;
  absl::flat_hash_map<std::string, std::string> thread_names_;
  absl::flat_hash_map<int64_t, size_t> devices_;
  absl::flat_hash_map<int64_t, Device> properties_;
  absl::flat_hash_map<std::pair<size_t, int64_t>, size_t> streams_;
  std::string operation_key_;
  std::string function_;
  absl::flat_hash_map<std::string, OperationId> operations_;  // by key
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KINETO_PROCESS_H_
