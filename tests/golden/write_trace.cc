// SPDX-License-Identifier: Apache-2.0
// Writes a trace of today's format that holds every kind of record, with its
// ring file, into the directory given. Run once for each version; the files are
// checked in, because a reader must read what an old writer wrote, not what
// today's encoder does.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/golden/killed_run.h"
#include "tests/support/trace_bytes.h"

namespace dltap::trace {
namespace {

using specs::ArgKind;
using specs::Meaning;

constexpr uint64_t kStart = 1'000'000;          // monotonic ns, and ticks
constexpr uint64_t kCupti = 5'000'000'000'000;  // ahead of it

template <typename Record>
Record With(void (*fill)(Record&)) {
  Record record = {};
  fill(record);
  return record;
}

void AddAnchor(TraceBytes& trace, uint64_t at_ns) {
  AnchorRecord anchor = {};
  anchor.ticks = kStart + at_ns;
  anchor.monotonic_ns = kStart + at_ns;
  anchor.realtime_ns = 1'700'000'000'000'000'000 + at_ns;
  anchor.activity_ns = kStart + kCupti + at_ns;
  anchor.error_ns = 30;
  trace.Put(BlockKind::kSamples, anchor);
}

void AddDefinitions(TraceBytes& trace) {
  constexpr std::string_view kVariables("RANK=1\0WORLD_SIZE=2\0", 20);
  trace.Put(BlockKind::kDefinitions, With<ProcessRecord>([](auto& r) {
              r.pid = 42;
              r.cpus = 8;
            }),
            Piece::String("host", 4), Piece::String("bootboot-id", 11),
            Piece::String("python", 6), Piece::String("0.1.0", 5),
            Piece::String(kVariables.data(), kVariables.size()));
  trace.Put(BlockKind::kDefinitions, With<ClockRecord>([](auto& r) {
              r.ticks_per_second = 1'000'000'000;
              r.clock = static_cast<uint8_t>(ClockKind::kTsc);
            }));
  const uint64_t driver = 13000;
  const uint64_t unnumbered = 0;
  trace.Put(BlockKind::kDefinitions,
            With<LibrariesRecord>([](auto& r) { r.library_count = 2; }),
            Piece::String("cuda", 4), Piece::Raw(&driver, sizeof(driver)),
            Piece::String("", 0), Piece::String("torch", 5),
            Piece::Raw(&unnumbered, sizeof(unnumbered)),
            Piece::String("2.11.0", 6));
  constexpr std::string_view kCommand("/usr/bin/python\0train.py\0a \xff\n",
                                      30);
  trace.Put(BlockKind::kDefinitions,
            With<CommandRecord>([](auto& r) { r.whole_bytes = 9000; }),
            Piece::String(kCommand.data(), kCommand.size()));
  trace.Put(BlockKind::kDefinitions, With<ThreadRecord>([](auto& r) {
              r.is_main = 1;
              r.tid = 42;
            }),
            Piece::String("python", 6));
  trace.Put(BlockKind::kDefinitions, With<DeviceRecord>([](auto& r) {
              r.sms = 132;
              std::memcpy(r.uuid, "dltapsim\1\2\3", 11);
              r.compute_major = 9;
              r.memory_bytes = 80ull << 30;
            }),
            Piece::String("NVIDIA H100 80GB HBM3", 21));
  trace.Put(BlockKind::kDefinitions, With<StreamRecord>([](auto& r) {
              r.id = 1;
              r.context = 1;
              r.stream = 7;
            }));
  trace.Put(BlockKind::kDefinitions, With<StreamHandleRecord>([](auto& r) {
              r.handle = 0x5000;
              r.context = 1;
              r.stream = 7;
            }));
}

void AddNames(TraceBytes& trace) {
  trace.Entry(16, "cublasSgemm_v2",
              {{"m", 0, 4, ArgKind::kInt, Meaning::kDimM},
               {"n", 4, 4, ArgKind::kInt, Meaning::kDimN},
               {"alpha", 8, 4, ArgKind::kFloat},
               {"A", 16, 8, ArgKind::kPointer, Meaning::kPointerA}});
  trace.Entry(17, "cudaLaunchKernel",
              {{"func", 0, 8, ArgKind::kPointer, Meaning::kKernel}});
  trace.Entry(18, "cudnnBackendExecute",
              {{"operation", 0, 4, ArgKind::kUint, Meaning::kOperation}});
  trace.Entry(19, "cudaGetDevice");
  trace.Text(1, "sgemm_128x64").Text(2, "step 0").Text(3, "kernel\xff");
  trace.Put(BlockKind::kDefinitions, With<KernelFunctionRecord>([](auto& r) {
              r.function = 0x1000;
              r.text = 1;
            }));
  trace.Put(BlockKind::kDefinitions, With<KernelVariantRecord>([](auto& r) {
              r.id = 1;
              r.text = 3;
              r.grid[0] = 8, r.grid[1] = 4, r.grid[2] = 1;
              r.block[0] = 128, r.block[1] = r.block[2] = 1;
              r.dynamic_shared_bytes = 4096;
              r.registers_per_thread = 64;
            }));
  const struct {
    OperationNode node;
    DimRecord batch, hidden;
  } lstm = {{5, 3, 2, 3, 2, {}}, {0, {}, 32}, {18, {}, 512}};
  trace.Put(BlockKind::kDefinitions, With<OperationRecord>([](auto& r) {
              r.id = 1;
              r.node_count = 1;
            }),
            Piece::Raw(&lstm, sizeof(lstm)));
}

void AddCalls(TraceBytes& trace) {
  const NvtxPayload step = {2, 0, 0, 0};
  const struct {
    int32_t m, n;
    float alpha;
    uint32_t pad;
    uint64_t a;
  } gemm = {128, 64, 0.5f, 0, 0x7f0000001000};
  const uint64_t function = 0x1000;
  const uint32_t operation = 1;
  const auto call = [](uint64_t at, uint64_t duration, uint16_t entry,
                       uint8_t flags, const void* payload, uint32_t bytes) {
    return CallFields{.begin_ticks = kStart + at,
                      .duration_ticks = duration,
                      .entry_point = entry,
                      .flags = flags,
                      .payload = payload,
                      .payload_bytes = bytes};
  };
  trace.Calls(
      0, 0,
      {call(0, 0, 1, 0, &step, 16), call(1200, 3000, 17, 1, &function, 8),
       call(1000, 5000, 16, kCallPushed, &gemm, sizeof(gemm)),
       call(9000, 2000, 18, kCallFailed | kCallCapturing, &operation, 4),
       call(12'000, 0x1'0000'0000, 0, 0, nullptr, 0)});
}

void AddActivities(TraceBytes& trace) {
  trace.Put(BlockKind::kActivities, With<LaunchApiRecord>([](auto& r) {
              r.start_ns = kStart + kCupti + 1500;
              r.duration_ns = 2000;
              r.correlation = 0x1'0000'0007;
              r.external = kStart + 1000;
              r.api = 211;
              r.domain = 2;
            }));
  const uint64_t duration_ns = 0x1'0000'0000;
  trace.Put(BlockKind::kActivities, With<KernelRecord>([](auto& r) {
              r.start_ns = kStart + kCupti + 8000;
              r.duration_ns = kDurationEscape;
              r.correlation = 0x1'0000'0007;
              r.variant = 1;
              r.stream = 1;
              r.graph = 3;
              r.graph_node = 77;
            }),
            Piece::Raw(&duration_ns, sizeof(duration_ns)));
  trace.Put(BlockKind::kActivities, With<MemcpyRecord>([](auto& r) {
              r.start_ns = kStart + kCupti + 7000;
              r.duration_ns = 500;
              r.correlation = 8;
              r.stream = 1;
              r.copy_kind = static_cast<uint8_t>(CopyKind::kHtoD);
              r.source = static_cast<uint8_t>(MemoryKind::kPageable);
              r.target = static_cast<uint8_t>(MemoryKind::kDevice);
              r.bytes = 4096;
            }));
  trace.Put(BlockKind::kActivities, With<MemsetRecord>([](auto& r) {
              r.start_ns = kStart + kCupti + 7600;
              r.duration_ns = 100;
              r.stream = 1;
              r.memory_kind = static_cast<uint8_t>(MemoryKind::kDevice);
              r.bytes = 16;
            }));
  trace.Put(BlockKind::kActivities, With<GraphNodeRecord>([](auto& r) {
              r.node = 77;
              r.call_begin_ticks = kStart + 9000;
              r.graph = 3;
            }));
  trace.Put(BlockKind::kActivities, With<SyncRecord>([](auto& r) {
              r.start_ns = kStart + kCupti + 9000;
            }));
}

void AddSamples(TraceBytes& trace) {
  trace.Put(BlockKind::kSamples, With<LevelRecord>([](auto& r) {
              r.ticks = kStart;
              r.level = static_cast<uint8_t>(Level::kKernels);
              r.wanted = r.level;
            }),
            Piece::String("", 0));
  trace.Put(BlockKind::kSamples, With<CpuSampleRecord>([](auto& r) {
              r.ticks = kStart + 10'000;
              r.cpu_time_ns = 700;
              r.state = static_cast<uint8_t>(ThreadState::kRunning);
            }));
  trace.Put(BlockKind::kSamples, ProcessSampleRecord{});
  trace.Put(BlockKind::kSamples, With<NotObservedRecord>([](auto& r) {
              r.begin_ns = kStart + kCupti + 100;
              r.end_ns = kStart + kCupti + 200;
              r.cause = static_cast<uint32_t>(NotObservedCause::kYielded);
            }));
  trace.Put(BlockKind::kSamples, With<WatermarkRecord>([](auto& r) {
              r.complete_until_ns = kStart + kCupti + 0x2'0000'0000;
              r.device = kNoIndex;
            }));
  trace.Put(BlockKind::kSamples, With<LossRecord>([](auto& r) {
              r.loss = 1;
              r.count = 3;
            }));
  trace.Put(BlockKind::kSamples, With<CallCountRecord>([](auto& r) {
              r.entry_point = 19;
              r.calls = 900;
            }));
  trace.Put(BlockKind::kSamples, With<OverheadRecord>([](auto& r) {
              r.per_call_ps = 20'400;
              r.collector_cpu_ns = 3'000'000;
            }));
}

// One more call that the collector never saw.
std::vector<uint8_t> Ring() {
  std::vector<uint8_t> bytes(1024);
  const RingFileHeader header = KilledRingFile();
  // Seven slots are in AddCalls.
  const RingHeader ring = RingInUse(7, 8, 768);
  CallSlot slot;
  EncodeCall({.begin_ticks = kStart + 0x1'0000'8000,
              .duration_ticks = 70,
              .entry_point = 17,
              .flags = 0},
             &slot);
  Store(bytes, 0, header);
  Store(bytes, header.rings_offset, ring);
  Store(bytes, 768 + 7 * kSlotBytes, slot);
  return bytes;
}

}  // namespace
}  // namespace dltap::trace

int main(int argc, char** argv) {
  using namespace dltap::trace;
  if (argc != 2) {
    std::fputs("usage: write_trace DIRECTORY\n", stderr);
    return 2;
  }
  TraceBytes trace;
  AddAnchor(trace, 0);
  AddDefinitions(trace);
  AddNames(trace);
  AddCalls(trace);
  AddActivities(trace);
  AddSamples(trace);
  AddAnchor(trace, 0x1'0000'0000);
  WriteFile(std::string(argv[1]) + "/run.dltap", trace.bytes());
  WriteFile(std::string(argv[1]) + "/run.dltap.ring", Ring());
}
