// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/trace_output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/environment.h"
#include "shim/tap/runtime/files.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "shim/tap/runtime/output_path.h"
#include "shim/tap/runtime/ring_place.h"
#include "shim/tap/runtime/session_state.h"
#include "shim/tap/runtime/thread_state.h"

namespace dltap::shim {
namespace {

using trace::BlockKind;
using trace::LossKind;

constexpr size_t kBuilderBytes = size_t{1} << 20;
constexpr size_t kSlotBlockBytes =
    sizeof(trace::BlockHeader) + size_t{kLargeRingSlots} * trace::kSlotBytes;
constexpr size_t kBufferBytes = 3 * kBuilderBytes +
                                2 * SegmentWriter::kBufferBytes +
                                kSlotBlockBytes + TraceOutput::kGatherBytes;
constexpr int kMaxFilesOfOneProcess = 1000;

}  // namespace

constinit TraceOutput g_output;

bool TraceOutput::MapBuffers() {
  void* memory = mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  buffers_ = memory;
  auto* at = static_cast<uint8_t*>(memory);
  for (Builder& builder : builders_) {
    builder.block = trace::BlockBuilder(at, kBuilderBytes);
    at += kBuilderBytes;
  }
  segment_buffers_ = at;
  slot_block_ = at + 2 * SegmentWriter::kBufferBytes;
  gather_ = slot_block_ + kSlotBlockBytes;
  return true;
}

bool TraceOutput::Open(const Config& config, const ProcessInfo& process,
                       const trace::FileHeader& header) {
  is_writable_ = false;
  is_finishing_ = false;
  is_closed_ = false;
  end_ticks_ = 0;
  policy_ = config.policy;
  counted_deleted_bytes_ = 0;
  reason_ = trace::EndReason::kExit;
  if (!MapBuffers()) {
    Log(LogLevel::kError, "no memory for buffers; tracing is off");
    return false;
  }
  if (!OpenFiles(config, process, header)) {
    CloseIfOwn(&dir_fd_, dir_inode_);
    return false;
  }
  is_writable_ = true;
  Log(LogLevel::kInfo, "recording to %s/%s", directory_, data_file_.name());
  return true;
}

bool TraceOutput::OpenFiles(const Config& config, const ProcessInfo& process,
                            const trace::FileHeader& header) {
  if (!OpenDirectory(config, process)) return false;
  if (!OpenDataFile(config, process, header)) return false;
  if (!OpenRingFile(header)) {
    data_file_.Close();
    unlinkat(dir_fd_, data_file_.name(), 0);
    return false;
  }
  if (policy_ == SizePolicy::kRing &&
      !segments_.Open(&data_file_, &ring_file_, segment_buffers_)) {
    Log(LogLevel::kError, "no memory for definitions; tracing is off");
    return false;
  }
  return true;
}

bool TraceOutput::OpenDirectory(const Config& config,
                                const ProcessInfo& process) {
  const OutputNames names = {process.machine, process.program,
                             static_cast<int>(process.pid),
                             SessionEnvironment()};
  if (!ExpandOutput(config.output, names, directory_)) {
    Log(LogLevel::kError,
        "DLTAP_OUTPUT is not understood: \"%s\"; use %%h, %%p, %%r, %%q{NAME} "
        "or %%%%; tracing is off",
        config.output);
    return false;
  }
  const int error = MakeDirectories(directory_);
  CloseIfOwn(&dir_fd_, dir_inode_);  // of the parent process
  dir_fd_ =
      error == 0 ? open(directory_, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (dir_fd_ < 0) {
    Log(LogLevel::kError,
        "cannot create the directory %s: %s; set DLTAP_OUTPUT to a writable "
        "place; tracing is off",
        directory_, strerrordesc_np(error != 0 ? error : errno));
    return false;
  }
  dir_fd_ = MoveDescriptorUp(dir_fd_);
  dir_inode_ = InodeOf(dir_fd_);
  return true;
}

bool TraceOutput::OpenDataFile(const Config& config, const ProcessInfo& process,
                               const trace::FileHeader& header) {
  int error = EEXIST;
  // After exec the process is a new program with the same pid and start time.
  for (int n = 0; n < kMaxFilesOfOneProcess && error == EEXIST; ++n) {
    char stem[DataFile::kMaxNameBytes];
    snprintf(stem, sizeof(stem), "%s-%.8s-%llu-%llu-%d", process.machine,
             process.boot_id, static_cast<unsigned long long>(process.pid),
             static_cast<unsigned long long>(process.start_time), n);
    error = data_file_.Create(dir_fd_, stem, header, config.max_bytes,
                              config.policy);
  }
  if (error != 0) {
    Log(LogLevel::kError, "cannot create a trace in %s: %s; tracing is off",
        directory_, strerrordesc_np(error));
  }
  return error == 0;
}

bool TraceOutput::OpenRingFile(const trace::FileHeader& header) {
  const int error =
      CreateRing(&ring_file_, header, dir_fd_, directory_, data_file_.name());
  if (error != 0) {
    Log(LogLevel::kError,
        "no room for the ring file in %s or %s: %s; tracing is off",
        kSharedMemory, directory_, strerrordesc_np(error));
    return false;
  }
  const char* path = ring_file_.path();
  trace::RingNameRecord record = {};
  WriteRecord(BlockKind::kDefinitions, record,
              trace::Piece::String(path, strlen(path)));
  return true;
}

void TraceOutput::Note(WriteResult result, uint64_t bytes) {
  if (result == WriteResult::kWritten) return;
  if (result == WriteResult::kLimitReached) {
    if (is_writable_) {
      Log(LogLevel::kWarning,
          "the trace has reached DLTAP_MAX_MB; "
          "recording stops, the program goes on");
    }
    CountLoss(LossKind::kMaxMegabytes);
    reason_ = trace::EndReason::kMaxMegabytes;
  } else {
    if (is_writable_) {
      Log(LogLevel::kWarning,
          "cannot write to %s: %s; recording stops, the "
          "program goes on",
          directory_, strerrordesc_np(data_file_.last_error()));
    }
    CountLoss(LossKind::kWriteFailed, bytes);
    reason_ = trace::EndReason::kWriteFailed;
  }
  if (is_writable_) end_ticks_ = Ticks();
  is_writable_ = false;
  StopRecording();
}

trace::BlockBuilder& TraceOutput::BuilderFor(BlockKind kind, size_t bytes) {
  Builder* builder = &builders_[2];
  for (Builder& candidate : builders_) {
    if (candidate.kind == kind) builder = &candidate;
  }
  const size_t used =
      sizeof(trace::BlockHeader) + builder->block.payload_bytes();
  if (used + bytes > kBuilderBytes) FlushBuilder(builder);
  return builder->block;
}

void TraceOutput::FlushBuilder(Builder* builder) {
  if (builder->block.empty()) return;
  // What activities name has been defined in the ring file.
  if (builder->kind == BlockKind::kActivities) DrainDefinitions();
  // What samples name, beside them.
  if (builder->kind == BlockKind::kSamples) FlushBuilder(&builders_[0]);
  if (is_writable_) {
    Note(WriteRecords(builder), builder->block.payload_bytes());
  } else if (is_finishing_) {
    WriteLast(builder);
  } else if (reason_ == trace::EndReason::kWriteFailed) {
    CountLoss(LossKind::kWriteFailed, builder->block.payload_bytes());
  }
  builder->block.Clear();
}

void TraceOutput::WriteLast(Builder* builder) {
  if (policy_ == SizePolicy::kRing) {
    segments_.BeginLast();
    WriteRecords(builder);
  } else {
    data_file_.Append(builder->block.Finish(builder->kind));
  }
}

WriteResult TraceOutput::WriteRecords(Builder* builder) {
  trace::BlockBuilder& block = builder->block;
  return policy_ == SizePolicy::kRing
             ? segments_.WriteRecords(builder->kind,
                                      {block.payload(), block.payload_bytes()})
             : data_file_.Write(block.Finish(builder->kind));
}

void TraceOutput::Flush() {
  for (Builder& builder : builders_) FlushBuilder(&builder);
  const uint64_t deleted = data_file_.deleted_bytes();
  if (deleted != counted_deleted_bytes_) {
    CountLoss(LossKind::kOverwritten, deleted - counted_deleted_bytes_);
    counted_deleted_bytes_ = deleted;
  }
}

// Those that cannot be written stay with the calls that need them.
void TraceOutput::DrainDefinitions() {
  if (reason_ == trace::EndReason::kWriteFailed) return;
  bool any = false;
  for (auto taken = ring_file_.definitions().Take(); !taken.empty();
       taken = ring_file_.definitions().Take()) {
    any = true;
    BuilderFor(BlockKind::kDefinitions, taken.size())
        .AppendRaw(taken.data(), taken.size());
  }
  FlushBuilder(&builders_[0]);
  if (reason_ == trace::EndReason::kWriteFailed || !any) return;
  if (data_file_.WriteGathered()) ring_file_.definitions().Drop();
}

trace::CallSlot* TraceOutput::slot_buffer() {
  return reinterpret_cast<trace::CallSlot*>(slot_block_ +
                                            sizeof(trace::BlockHeader));
}

bool TraceOutput::WriteSlots(uint32_t thread_index, uint64_t first_slot,
                             size_t count) {
  if (!is_writable_) return false;
  if (policy_ == SizePolicy::kRing) {
    Note(segments_.WriteSlots(thread_index, first_slot, {slot_buffer(), count}),
         count * trace::kSlotBytes);
    return is_writable_;
  }
  trace::BlockHeader header = {};
  header.magic = trace::kBlockMagic;
  header.kind = static_cast<uint16_t>(BlockKind::kCalls);
  header.payload_bytes = static_cast<uint32_t>(count * trace::kSlotBytes);
  header.thread_index = thread_index;
  header.first_slot = first_slot;
  header.checksum = trace::Checksum(header, slot_buffer());
  memcpy(slot_block_, &header, sizeof(header));
  const size_t bytes = sizeof(header) + header.payload_bytes;
  Note(data_file_.Write({slot_block_, bytes}), bytes);
  return is_writable_;
}

void TraceOutput::Gather() {
  if (is_writable_) data_file_.Gather({gather_, kGatherBytes});
}

bool TraceOutput::Settle() {
  const size_t bytes = data_file_.gathered_bytes();
  const WriteResult result = data_file_.Settle();
  Note(result, bytes);
  return result == WriteResult::kWritten;
}

void TraceOutput::CountUnwritten(uint64_t records) {
  CountLoss(reason_ == trace::EndReason::kMaxMegabytes ? LossKind::kMaxMegabytes
                                                       : LossKind::kWriteFailed,
            records);
}

void TraceOutput::Finish(uint64_t ticks) {
  trace::EndRecord end = {};
  end.ticks = end_ticks_ != 0 ? end_ticks_ : ticks;
  end.reason = static_cast<uint32_t>(reason_);
  uint8_t buffer[sizeof(trace::BlockHeader) + sizeof(end)];
  trace::BlockBuilder block(buffer, sizeof(buffer));
  block.Append(end);
  // The end is written where there is room, also beyond the size limit.
  const bool written = data_file_.Append(block.Finish(BlockKind::kEnd));
  data_file_.Close();
  // Without an end block the ring file is still needed to see what was lost.
  if (written) ring_file_.Unlink();
  is_writable_ = false;
  is_closed_ = true;
}

void MakeDefinitionRoom() {
  if (t_thread.session != kOwnThread) return;
  if (g_output.ring_file().definitions().Crowds()) g_output.DrainDefinitions();
}

void TraceOutput::ReleaseMemory() {
  ring_file_.Abandon();
  for (Builder& builder : builders_) builder.block = {};
  munmap(buffers_, kBufferBytes);
  buffers_ = slot_block_ = segment_buffers_ = gather_ = nullptr;
}

}  // namespace dltap::shim
