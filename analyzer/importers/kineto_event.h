// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KINETO_EVENT_H_
#define DLTAP_ANALYZER_IMPORTERS_KINETO_EVENT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson.h"

namespace dltap::analyzer {

// What an event describes, by its category.
enum class KinetoKind : uint8_t {
  kOther,
  kApi,
  kKernel,
  kMemcpy,
  kMemset,
  kOperator,
  kAnnotation,
  kPython,
  kSync
};

// One object of `traceEvents`; texts point into the parser's buffers and live
// until the next event is parsed.
struct KinetoEvent {
  std::string_view phase;                // "X", "M", ...
  std::string_view category;             // "kernel", "cpu_op", ...
  KinetoKind kind = KinetoKind::kOther;  // by the category
  std::string_view name;
  std::string_view pid;  // raw tokens: numbers or texts
  std::string_view tid;
  std::optional<int64_t> begin_ns;  // since the trace's base
  std::optional<int64_t> duration_ns;
  uint64_t correlation = 0;
  uint64_t external_id = 0;
  uint64_t bytes = 0;
  int64_t device = -1;
  int64_t stream = -1;
  uint64_t context = 0;
  uint64_t waited_event = 0;   // of cuda_sync: what it waited for
  uint64_t waited_record = 0;  // correlation of the call that recorded it
  int64_t waited_stream = -1;  // in which it was recorded
  uint64_t graph_node = 0;
  uint32_t graph = 0;
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  int64_t registers = 0;
  int64_t shared_bytes = 0;
  // Of "[memory]": below 0 given back; then of the device, -1: not told.
  int64_t memory_bytes = 0;
  uint64_t address = 0;
  int64_t allocated_bytes = -1;
  int64_t reserved_bytes = -1;
  int64_t device_type = 0;       // 0: the host
  std::string_view meta_name;    // of "M" events: args.name
  std::string_view input_dims;   // raw JSON: [[8, 3, 224, 224], ...]
  std::string_view input_types;  // raw JSON: ["float", ...]
  std::string_view concrete_inputs;
  std::string_view input_strides;
  std::string_view collective;  // "allreduce"; the next are of such events
  std::string_view group_name;
  std::string_view group_ranks;  // "[0, 1]"
  std::string_view dtype;        // "Float"
  int64_t elements_in = -1;
  int64_t elements_out = -1;
  int64_t group_size = 0;
  int64_t sequence = -1;
  int64_t node_sequence = -1;  // of autograd's node
  // Of our own exports; empty: not said.
  std::string_view layer_class;
  std::string_view direction;
  std::string_view class_from;
  bool autotune = false;
  int64_t forward_thread = 0;  // of a node that runs: who made it; 0: no node
};

// Whether the arguments of events of this phase and kind are of use.
using WantsArgs = bool (*)(std::string_view phase, KinetoKind kind);

// Reads one event; without `args` where phase and category stand before them
// and `wants` says no. False: it is no object, or broken.
bool ReadKinetoEvent(simdjson::ondemand::value value, KinetoEvent& event,
                     WantsArgs wants = nullptr);

// "12345.678" microseconds -> nanoseconds, without a detour over double,
// which has no room for both the date and the nanoseconds.
std::optional<int64_t> ParseMicroseconds(std::string_view token);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KINETO_EVENT_H_
