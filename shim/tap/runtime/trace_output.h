// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_TRACE_OUTPUT_H_
#define DLTAP_SHIM_TAP_RUNTIME_TRACE_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "shim/tap/runtime/config.h"
#include "shim/tap/runtime/data_file.h"
#include "shim/tap/runtime/process_info.h"
#include "shim/tap/runtime/ring_file.h"
#include "shim/tap/runtime/segment_writer.h"
#include "shim/trace/encoder.h"

namespace dltap::shim {

// The files of a session and the buffers that blocks are built in. One thread
// at a time: the one that starts the session, then the collector.
class TraceOutput {
 public:
  // Creates directory, data file and ring file. On failure says why on stderr
  // and returns false.
  bool Open(const Config& config, const ProcessInfo& process,
            const trace::FileHeader& header);

  // A builder with room for `bytes` of that kind of block; writes out what it
  // holds when it must.
  trace::BlockBuilder& BuilderFor(trace::BlockKind kind, size_t bytes);

  // Writes what the builders hold.
  void Flush();

  // Moves committed definitions from the ring file to the data file.
  void DrainDefinitions();

  // Writes slots of one thread as a block. They must have been copied to
  // slot_buffer() before.
  bool WriteSlots(uint32_t thread_index, uint64_t first_slot, size_t count);
  trace::CallSlot* slot_buffer();
  // From here to Settle(), small blocks of slots go to the file together.
  void Gather();
  // False: some of them are not in the file.
  bool Settle();
  size_t gathered_bytes() const { return data_file_.gathered_bytes(); }
  static constexpr size_t kGatherBytes = size_t{256} << 10;
  // Calls that came too late for the trace.
  void CountUnwritten(uint64_t records);

  // The next Flush() is the last one: the totals in it are written where there
  // is room, also beyond the size limit.
  void BeginFinish() { is_finishing_ = true; }
  // Writes the end block and removes the ring file. Once.
  void Finish(uint64_t ticks);
  // After Finish(): rings and buffers go back to the system. What is appended
  // later goes nowhere.
  void ReleaseMemory();

  RingFile& ring_file() { return ring_file_; }
  const DataFile& data_file() const { return data_file_; }
  const char* directory() const { return directory_; }
  // False once a write has failed or the size limit is reached.
  bool is_writable() const { return is_writable_; }
  bool is_closed() const { return is_closed_; }
  // Grows when a segment begins: what is cumulative is written again there.
  uint32_t segment() const { return segments_.segment(); }
  // Definitions were dropped since the last time.
  bool TakeForgotten() { return segments_.TakeForgotten(); }

 private:
  struct Builder {
    trace::BlockKind kind;
    trace::BlockBuilder block;
  };

  bool MapBuffers();
  bool OpenFiles(const Config& config, const ProcessInfo& process,
                 const trace::FileHeader& header);
  bool OpenDirectory(const Config& config, const ProcessInfo& process);
  bool OpenDataFile(const Config& config, const ProcessInfo& process,
                    const trace::FileHeader& header);
  bool OpenRingFile(const trace::FileHeader& header);
  void FlushBuilder(Builder* builder);
  void WriteLast(Builder* builder);
  WriteResult WriteRecords(Builder* builder);
  void Note(WriteResult result, uint64_t bytes);

  DataFile data_file_;
  RingFile ring_file_;
  SegmentWriter segments_;
  SizePolicy policy_ = SizePolicy::kStop;
  Builder builders_[3] = {{trace::BlockKind::kDefinitions, {}},
                          {trace::BlockKind::kActivities, {}},
                          {trace::BlockKind::kSamples, {}}};
  void* buffers_ = nullptr;
  uint8_t* segment_buffers_ = nullptr;
  uint8_t* slot_block_ = nullptr;
  uint8_t* gather_ = nullptr;
  int dir_fd_ = -1;
  uint64_t dir_inode_ = 0;
  bool is_writable_ = false;
  bool is_finishing_ = false;
  bool is_closed_ = false;
  uint64_t end_ticks_ = 0;  // when recording stopped before the end
  uint64_t counted_deleted_bytes_ = 0;
  trace::EndReason reason_ = trace::EndReason::kExit;
  char directory_[kMaxPathBytes] = {};
};

extern constinit TraceOutput g_output;

// On the collector: moves definitions to the data file where they crowd, since
// it may define more in one pass than there is room for. On other threads
// nothing.
void MakeDefinitionRoom();

// One record into a block of that kind. Records are gathered and written when
// the buffer is full and at the end of each pass.
template <typename Record, typename... Pieces>
void WriteRecord(trace::BlockKind kind, const Record& record,
                 const Pieces&... pieces) {
  const size_t bytes = (sizeof(Record) + ... + pieces.encoded_bytes()) + 8;
  g_output.BuilderFor(kind, bytes).Append(record, pieces...);
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_TRACE_OUTPUT_H_
