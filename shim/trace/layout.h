// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_LAYOUT_H_
#define DLTAP_SHIM_TRACE_LAYOUT_H_

#include <cstdint>

// Files, blocks, rings and call slots of the trace format, version 1. Written
// by the tap in the host process, read by the analyzer: plain structs, little-
// endian, no pointers, append-only. FORMAT.md is the prose; both change
// together, with kMinorVersion.
namespace dltap::trace {

inline constexpr uint8_t kFileMagic[8] = {'D', 'L',  'T',  'A',
                                          'P', '\r', '\n', 26};
inline constexpr uint16_t kMajorVersion = 1;
inline constexpr uint16_t kMinorVersion = 10;
inline constexpr uint32_t kBlockMagic = 0x4B4C4244;  // "DBLK"
inline constexpr uint32_t kNoIndex = 0xFFFFFFFF;     // no thread, device, ...
inline constexpr uint32_t kDurationEscape = 0xFFFFFFFF;
inline constexpr uint32_t kMaxBlockPayloadBytes = 16u << 20;

enum class FileKind : uint8_t { kData = 1, kRing = 2 };

// What `ticks` are. Clock definition: ticks per second.
enum class ClockKind : uint8_t { kTsc = 1, kMonotonic = 2, kActivity = 3 };

// Begins each file. A process's data may go on in further data files, with the
// next `segment`; any but segment 0 may be missing (policy `ring`).
struct FileHeader {
  uint8_t magic[8];
  uint16_t major_version;
  uint16_t minor_version;
  uint32_t header_bytes;  // 64; blocks of a data file begin here
  uint64_t pid;
  int64_t start_realtime_ns;  // CLOCK_REALTIME when the session began
  uint8_t file_kind;          // FileKind
  uint8_t clock;              // ClockKind
  uint16_t reserved;          // 0
  uint32_t segment;
  uint64_t process_start_time;  // field 22 of /proc/PID/stat
  char boot_id[8];              // its first 8 characters
  uint64_t checksum;            // of the 56 bytes before, see checksum.h
};
static_assert(sizeof(FileHeader) == 64, "on disk; see FORMAT.md");

enum class BlockKind : uint16_t {
  kDefinitions = 1,  // records; never dropped by policy `ring`
  kCalls = 2,        // raw slots of one thread
  kActivities = 3,   // records
  kSamples = 4,      // records
  kEnd = 5,          // records; the writer ended by itself
};

// Followed by payload_bytes, a multiple of 8. The next block follows at once.
struct BlockHeader {
  uint32_t magic;  // kBlockMagic
  uint16_t kind;   // BlockKind
  uint16_t flags;  // 0
  uint32_t payload_bytes;
  uint32_t thread_index;  // kCalls: whose slots; else kNoIndex
  uint64_t first_slot;    // kCalls: sequence number of the first slot; else 0
  uint64_t checksum;      // of both, see checksum.h
};
static_assert(sizeof(BlockHeader) == 32, "on disk; see FORMAT.md");

// Calls.

inline constexpr uint32_t kSlotBytes = 32;
inline constexpr uint32_t kFirstSlotPayloadBytes = 16;
inline constexpr uint32_t kMaxCallPayloadBytes = 112;
inline constexpr uint32_t kMaxSlotsPerCall = 5;

// First slot of a call record; its further slots are 32 payload bytes each:
//
//    0        8       12     14    15    16              32
//   +--------+-------+------+-----+-----+---------------+
//   | begin  | dura- |entry |slots|flags| payload 0..15 |
//   | ticks  | tion  |point |     |     |               |
//   +--------+-------+------+-----+-----+---------------+
//   | payload 16..47                                    |   ... up to 111
//   +---------------------------------------------------+
//   | u64 duration | 0                                  |   only when escaped
//   +---------------------------------------------------+
//
// `slots` counts all of them (1..5). duration_ticks == kDurationEscape says
// that the last slot begins with the duration as u64. A thread appends its
// records when calls end, so children come before their parent.
struct CallSlot {
  uint64_t begin_ticks;
  uint32_t duration_ticks;
  uint16_t entry_point;  // id of an EntryPoint definition, or SpecialSlot
  uint8_t slots;         // low 3 bits; the others 0
  uint8_t flags;         // CallFlags
  uint8_t payload[kFirstSlotPayloadBytes];
};
static_assert(sizeof(CallSlot) == kSlotBytes, "on disk; see FORMAT.md");

inline constexpr uint8_t kCallDepthMask = 0x0F;  // 15: that deep or deeper
inline constexpr uint8_t kCallFailed = 0x10;     // result was not success
inline constexpr uint8_t kCallCapturing = 0x20;  // its thread was capturing
inline constexpr uint8_t kCallPushed = 0x40;     // pushed an external id
inline constexpr uint8_t kCallDelayed = 0x80;    // a Delay was waited for first

// entry_point values with a meaning of their own. Their duration is 0, they
// have one slot, and their payload is the struct named here.
enum class SpecialSlot : uint16_t {
  kDefinitionLost = 0,  // an ordinary call whose entry point is not known
  kNvtxPush = 1,        // NvtxPayload
  kNvtxPop = 2,         // NvtxPayload: only the domain
  kNvtxMark = 3,        // NvtxPayload
  kLoss = 4,            // LossPayload: records were lost here
  kHandleStream = 5,    // HandleStreamPayload: a library handle got a stream
  kWindow = 6,          // WindowPayload: recording begins or stops
  kCaptureBegin = 7,    // CapturePayload
  kCaptureEnd = 8,      // CapturePayload
  kNvtxRangeStart = 9,  // NvtxRangePayload: ends maybe on another thread
  kNvtxRangeEnd = 10,   // NvtxRangePayload: only the range id
  kLaunch = 11,         // LaunchPayload: a device was given work
  kSite = 12,           // SitePayload: where the outermost call is made
  kOperation = 13,      // OperationPayload: what the next call computes
  kNvtxDetails = 14,    // NvtxDetailsPayload: more of the next push
};
inline constexpr uint16_t kFirstEntryPointId = 16;

struct NvtxPayload {
  uint32_t text;    // id of a Text definition; 0: none or lost
  uint32_t domain;  // id of a Text definition; 0: the default domain
  uint32_t category;
  uint32_t colour;  // ARGB; 0: none
};
// Of the push that follows in the same thread, if it has that text.
struct NvtxDetailsPayload {
  uint32_t text;
  // Registered strings that the push's own payload names, in its order: ids of
  // Text definitions; 0: none, or not defined yet.
  uint32_t details[3];
};
struct NvtxRangePayload {
  uint32_t text;
  uint32_t domain;
  uint64_t range_id;
};
struct LossPayload {
  uint32_t loss;  // LossKind
  uint32_t reserved;
  uint64_t count;  // lost here, not cumulative
};
struct HandleStreamPayload {
  uint64_t handle;
  uint64_t stream;  // as the process names it
};
struct WindowPayload {
  uint32_t recording;  // 1: begins, 0: stops
  uint32_t cause;      // WindowCause
  uint64_t reserved;
};
struct LaunchPayload {
  uint64_t correlation;       // of the activities that it becomes
  uint64_t call_begin_ticks;  // of the outermost call in progress
};
// Its begin_ticks are the call's, which follows in the same thread.
struct SitePayload {
  uint32_t site;  // id of a Site definition; 0: not known
  uint32_t reserved;
  uint64_t reserved2;
};
// Of a launch whose arguments tell it: the record that follows in the same
// thread. It lies within that call, else the call's record got lost.
struct OperationPayload {
  uint64_t kernel;     // as the launch names it
  uint32_t operation;  // id of an Operation definition
  uint32_t reserved;
};
struct CapturePayload {
  uint64_t stream;
  uint64_t capture_id;
};
static_assert(sizeof(NvtxPayload) == 16 && sizeof(NvtxDetailsPayload) == 16 &&
                  sizeof(NvtxRangePayload) == 16 && sizeof(LossPayload) == 16 &&
                  sizeof(HandleStreamPayload) == 16 &&
                  sizeof(WindowPayload) == 16 && sizeof(LaunchPayload) == 16 &&
                  sizeof(CapturePayload) == 16 && sizeof(SitePayload) == 16 &&
                  sizeof(OperationPayload) == 16,
              "on disk; see FORMAT.md");

enum class WindowCause : uint32_t {
  kStart = 1,        // the session's own start or end
  kTime = 2,         // DLTAP_DELAY_S, DLTAP_DURATION_S
  kProfilerApi = 3,  // cudaProfilerStart, cudaProfilerStop
  kNvtx = 4,
  kControl = 5,  // dltap ctl
  kLimit = 6,    // DLTAP_MAX_MB
};

// Ring file.

// While a process lives, `<data file>.ring` holds what the collector has not
// yet appended to the data file:
//
//   RingFileHeader, RingHeader[ring_count], then the definition area and the
//   rings' slots, wherever the headers say.
//
// Committed are the slots below each ring's head and the definitions between
// definitions_tail and definitions_head, but for kUnwritten ones; words of
// zeros are passed over. A head, and a definition's header, are release stores,
// made after what they commit.
struct RingFileHeader {
  FileHeader file;                // file_kind kRing
  uint32_t ring_count;            // entries of the table; many stay unused
  uint32_t ring_header_bytes;     // 128
  uint64_t rings_offset;          // of RingHeader[0]
  uint64_t definitions_offset;    // records, as in a kDefinitions block
  uint64_t definitions_capacity;  // bytes
  uint64_t definitions_head;      // bytes that were given to threads
  uint64_t definitions_tail;      // bytes already in the data file; both go
                                  // back to 0, the tail first, when equal
  uint64_t log_offset;            // of DefinitionChunk[log_chunks]
  uint32_t log_chunks;
  uint32_t pid_namespace;  // inode of the space of the pid, 0: not known
  char data_file[380];     // name of the data file, 0-terminated; a path
                           // when the two lie in different directories
  uint32_t file_space;     // in which space of files that path counts, 0: not
};                         // known
static_assert(sizeof(RingFileHeader) == 512, "on disk; see FORMAT.md");

// A part of the definition log: what a trace whose oldest segments are deleted
// repeats in each segment. Here it explains what the rings hold.
struct DefinitionChunk {
  uint64_t offset;  // in the ring file; 0: unused
  uint64_t bytes;   // committed records
};

enum class RingState : uint32_t {
  kFree = 0,  // never used, or given back: nothing in it
  kInUse = 1,
  kClosed = 2,  // its thread has ended or moved to a larger ring
};

// One ring of slots, a cache line per writer. Slot number s (counted per
// thread, over all its rings) lies at data_offset + 32 * ((s - base) %
// capacity_slots). Slots [max(tail, what data blocks hold), head) are unread.
struct RingHeader {
  // Written by the thread.
  uint64_t head;       // slots committed, as a sequence number
  uint64_t open_call;  // 0: none; else begin_ticks with its low 16 bits
                       // replaced by the entry point
  uint64_t dropped;    // records that found no room
  uint64_t reserved[5];
  // Written by the collector.
  uint64_t tail;  // slots drained
  uint64_t base;  // sequence number of the ring's first slot
  uint64_t data_offset;
  uint64_t tid;
  uint32_t thread_index;
  uint32_t capacity_slots;
  uint32_t state;  // RingState
  uint32_t reserved2;
  uint64_t reserved3[2];
};
static_assert(sizeof(RingHeader) == 128, "on disk; see FORMAT.md");

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_LAYOUT_H_
