// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/session_definitions.h"

#include <unistd.h>

#include <cstring>

#include "shim/specs/arg_layout.h"
#include "shim/tap/runtime/environment.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/trace_output.h"
#include "tap_tables.h"
#include "vocabulary.h"

#ifndef DLTAP_VERSION
#define DLTAP_VERSION "0"
#endif

namespace dltap::shim {
namespace {

using trace::BlockKind;
using trace::Piece;

Piece Text(const char* text) { return Piece::String(text, strlen(text)); }

// The strings after an entry point's arguments: their names, each preceded by
// its length.
class NameList {
 public:
  void Add(const char* name) {
    const auto length = static_cast<uint32_t>(strlen(name));
    if (sizeof(length) + length > sizeof(bytes_) - used_) return;
    memcpy(bytes_ + used_, &length, sizeof(length));
    memcpy(bytes_ + used_ + sizeof(length), name, length);
    used_ += static_cast<uint32_t>(sizeof(length)) + length;
  }
  Piece AsPiece() const { return Piece::Raw(bytes_, used_); }

 private:
  char bytes_[2048];
  uint32_t used_ = 0;
};

void WriteEntryPoint(specs::EntryPoint entry) {
  const specs::ArgLayout& layout = specs::LayoutOf(entry);
  const specs::ArgField* fields = specs::FieldsOf(layout);
  trace::ArgRecord args[trace::kMaxCallPayloadBytes];
  NameList names;
  for (int i = 0; i < layout.field_count; ++i) {
    args[i] = {fields[i].offset, fields[i].width,
               static_cast<uint8_t>(fields[i].kind),
               static_cast<uint8_t>(fields[i].meaning)};
    names.Add(specs::NameOf(fields[i]));
  }
  trace::EntryPointRecord record = {};
  record.id = static_cast<uint16_t>(trace::kFirstEntryPointId +
                                    static_cast<int>(entry));
  record.role = static_cast<uint8_t>(specs::RoleOf(entry));
  record.payload_bytes = layout.payload_bytes;
  record.arg_count = layout.field_count;
  const auto library = static_cast<size_t>(specs::LibraryOf(entry));
  WriteRecord(BlockKind::kDefinitions, record,
              Piece::Raw(args, layout.field_count * sizeof(args[0])),
              Text(specs::SymbolOf(entry)),
              Text(specs::Words<specs::Library>::kNames[library]),
              names.AsPiece());
}

void WriteProcess(const ProcessInfo& process) {
  char variables[4096];
  const uint32_t used =
      CollectRankVariables(SessionEnvironment(), variables, sizeof(variables));
  trace::ProcessRecord record = {};
  record.pid = process.pid;
  record.parent_pid = process.parent_pid;
  record.start_time = process.start_time;
  record.cpus = process.cpus;
  WriteRecord(BlockKind::kDefinitions, record, Text(process.machine),
              Text(process.boot_id), Text(process.program), Text(DLTAP_VERSION),
              Piece::String(variables, used));
}

trace::ClockKind OnDisk(ClockKind kind) {
  switch (kind) {
    case ClockKind::kMonotonic: return trace::ClockKind::kMonotonic;
    case ClockKind::kActivity: return trace::ClockKind::kActivity;
    default: return trace::ClockKind::kTsc;
  }
}

void WriteClock(const ClockReading& first, const ClockReading& second) {
  trace::ClockRecord record = {};
  record.ticks_per_second = TicksPerSecond(first, second);
  record.clock = static_cast<uint8_t>(OnDisk(
      static_cast<ClockKind>(g_process.clock.load(std::memory_order_relaxed))));
  WriteRecord(BlockKind::kDefinitions, record);
}

// Until the activity source delivers, a trace holds calls only.
void WriteLevel(const Config& config, uint64_t ticks) {
  trace::LevelRecord record = {};
  record.ticks = ticks;
  record.level = static_cast<uint8_t>(trace::Level::kHost);
  record.wanted = static_cast<uint8_t>(config.level);
  const char* reason = config.level == Level::kHost
                           ? ""
                           : "kernel records have not been switched on";
  WriteRecord(BlockKind::kSamples, record, Text(reason));
}

}  // namespace

void WriteSessionDefinitions(const ProcessInfo& process, const Config& config,
                             const ClockReading& first,
                             const ClockReading& second) {
  WriteProcess(process);
  WriteClock(first, second);
  for (int i = 0; i < specs::kCounterCount; ++i) {
    WriteEntryPoint(specs::OfCounter(i));
  }
  WriteAnchor(first);
  WriteAnchor(second);
  WriteLevel(config, second.ticks);
}

void WriteAnchor(const ClockReading& reading) {
  constexpr uint64_t kMaxErrorNs = 50'000;
  if (reading.error_ns > kMaxErrorNs) {
    CountLoss(trace::LossKind::kAnchorFailed);
  }
  trace::AnchorRecord record = {};
  record.ticks = reading.ticks;
  record.monotonic_ns = reading.monotonic_ns;
  record.realtime_ns = reading.realtime_ns;
  record.activity_ns = reading.activity_ns;
  record.error_ns = reading.error_ns;
  WriteRecord(BlockKind::kSamples, record);
}

}  // namespace dltap::shim
