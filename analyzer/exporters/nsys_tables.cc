// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/nsys_tables.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/exporters/api_records.h"
#include "analyzer/exporters/nsys_columns.h"
#include "analyzer/exporters/sqlite_file.h"
#include "analyzer/model/nsys_schema.h"
#include "analyzer/model/simulation_marks.h"
#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kSchema = "3.25.0";

int64_t Number(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice: return nsys::kHtoD;
    case CopyKind::kDeviceToHost: return nsys::kDtoH;
    case CopyKind::kDeviceToDevice: return nsys::kDtoD;
    case CopyKind::kHostToHost: return nsys::kHtoH;
    case CopyKind::kPeer: return nsys::kPtoP;
    default: return 0;
  }
}

SqlValue Number(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable: return nsys::kPageableMemory;
    case MemoryKind::kPinned: return nsys::kPinnedMemory;
    case MemoryKind::kDevice: return nsys::kDeviceMemory;
    case MemoryKind::kArray: return nsys::kArrayMemory;
    case MemoryKind::kManaged: return nsys::kManagedMemory;
    case MemoryKind::kUnknown: break;
  }
  return std::monostate();
}

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

SqlValue NonZero(uint64_t number) {
  if (number == 0) return std::monostate();
  return Signed(number);
}

// "GPU-554a6988-03dd-..." of hexadecimal digits.
std::string UuidText(const std::string& hex) {
  std::string text = "GPU-";
  for (size_t i = 0; i < hex.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
    text += hex[i];
  }
  return text;
}

class NsysWriter {
 public:
  NsysWriter(const ExportInput& input, const std::string& path)
      : input_(input), model_(input.model), file_(path) {}

  absl::Status Run() {
    for (const NsysTable& table : NsysTables()) {
      file_.CreateTable(table.name, table.columns);
    }
    WriteFacts();
    for (size_t p = 0; p < model_.processes.size(); ++p) {
      WriteProcess(p);
      WriteCalls(p);
      WriteRanges(p);
      WriteActivities(p);
      WriteSyncs(p);
    }
    return file_.Finish();
  }

 private:
  // Processes of several hosts may have one pid: the host goes in front.
  int64_t GlobalPid(const Process& process) {
    const auto host =
        hosts_.try_emplace(process.host, Signed(hosts_.size() + 1))
            .first->second;
    return (host & 0x7FFF) << 48 | (process.pid & 0xFFFFFF) << 24;
  }
  int64_t GlobalTid(const Process& process, ThreadId thread) {
    const size_t i = thread.value();
    const uint64_t tid =
        i < process.threads.size() ? process.threads[i].tid : i;
    return GlobalPid(process) | Signed(tid & 0xFFFFFF);
  }

  int64_t TextOf(std::string_view text) {
    const auto [it, is_new] =
        texts_.try_emplace(ValidUtf8(text), Signed(texts_.size()));
    if (is_new) {
      file_.Insert(nsys::kStringTable,
                   {it->second, std::string_view(it->first)});
    }
    return it->second;
  }

  bool HasFixedCosts() const {
    return std::any_of(model_.processes.begin(), model_.processes.end(),
                       [](const Process& process) {
                         return process.host_clock == HostClock::kFixedCosts;
                       });
  }

  void WriteFacts() {
    file_.Insert(nsys::kExportTable, {nsys::kSchemaVersion, kSchema});
    file_.Insert(
        nsys::kExportTable,
        {nsys::kProductVersion, std::string_view("by dltap " DLTAP_VERSION)});
    if (HasFixedCosts()) {
      file_.Insert(nsys::kExportTable, {kHostClockMark, kFixedCostsMark});
    }
    // The trace's own time line: no wall clock is known.
    file_.Insert(nsys::kStartTimeTable,
                 {int64_t{0}, std::monostate(), std::monostate()});
    if (!model_.processes.empty()) {
      const std::string host = ValidUtf8(model_.processes.front().host);
      file_.Insert(nsys::kSystemTable,
                   {std::monostate(), nsys::kHostname, nsys::kHostname,
                    int64_t{0}, std::string_view(host)});
    }
  }

  void WriteProcess(size_t p) {
    const Process& process = model_.processes[p];
    const int64_t global = GlobalPid(process);
    const std::string program = ValidUtf8(process.program);
    file_.Insert(nsys::kProcessTable,
                 {global, process.pid, std::string_view(program)});
    if (process.rank) {
      file_.Insert(nsys::kRankTable, {global, int64_t{*process.rank}});
    }
    for (size_t t = 0; t < process.threads.size(); ++t) {
      file_.Insert(nsys::kThreadTable,
                   {TextOf(process.threads[t].name), std::monostate(),
                    GlobalTid(process, ThreadId(t))});
    }
    for (const Device& device : process.devices) {
      const int64_t gpu = gpus_++;
      const std::string name = ValidUtf8(device.name);
      const std::string uuid = UuidText(device.uuid);
      file_.Insert(
          nsys::kGpuTable,
          {gpu, std::string_view(name), std::string_view(uuid),
           int64_t{device.sms}, device.memory_bytes,
           int64_t{device.compute_major}, int64_t{device.compute_minor}});
      file_.Insert(nsys::kDeviceTable, {gpu, int64_t{device.ordinal},
                                        process.pid, std::string_view(uuid)});
    }
  }

  static std::string_view TableOf(const EntryPoint& entry) {
    const std::string_view api = ApiCategory(entry);
    if (api.ends_with("_runtime")) return nsys::kRuntimeTable;
    if (api.ends_with("_driver")) return nsys::kDriverTable;
    if (LibraryOf(entry) == "cudnn") return nsys::kCudnnTable;
    if (LibraryOf(entry).starts_with("cublas")) return nsys::kCublasTable;
    return nsys::kRangeTable;
  }

  void WriteCalls(size_t p) {
    const Process& process = model_.processes[p];
    const ApiRecords records = JoinApiRecords(model_, process);
    for (size_t i = 0; i < process.calls.size(); ++i) {
      const Call& call = process.calls[i];
      if (!input_.Wants(call)) continue;
      const EntryPoint& entry = model_.entry_points[call.entry.value()];
      const std::string_view table = TableOf(entry);
      const int64_t tid = GlobalTid(process, call.thread);
      if (table == nsys::kRangeTable) {
        WriteRange(call.begin_ns, call.end_ns, entry.symbol, tid);
        continue;
      }
      file_.Insert(table, {call.begin_ns, call.end_ns, int64_t{0}, tid,
                           NonZero(records.of_call[i]), TextOf(ApiName(entry)),
                           int64_t{call.failed}, std::monostate()});
    }
    for (const HiddenSubmission& record : records.hidden) {
      if (!input_.Wants(record)) continue;
      const Activity& work = process.activities[record.activity];
      file_.Insert(
          nsys::kRuntimeTable,
          {record.begin_ns, record.end_ns, int64_t{0},
           GlobalTid(process, record.thread), Signed(record.correlation),
           TextOf(SubmitterOf(work)), int64_t{0}, std::monostate()});
    }
  }

  void WriteRange(int64_t begin_ns, int64_t end_ns, std::string_view text,
                  int64_t tid) {
    file_.Insert(nsys::kRangeTable,
                 {begin_ns, end_ns, nsys::kPushPop, std::monostate(), tid,
                  TextOf(text), int64_t{0}});
  }

  void WriteRanges(size_t p) {
    const Process& process = model_.processes[p];
    for (const Range& range : process.ranges) {
      if (!input_.Wants(range)) continue;
      WriteRange(range.begin_ns, range.end_ns, model_.texts[range.name],
                 GlobalTid(process, range.thread));
    }
    for (const StepMark& mark : StepMarks(input_, p)) {
      WriteRange(mark.begin_ns, mark.end_ns, mark.name,
                 GlobalTid(process, mark.thread));
    }
  }

  void WriteActivities(size_t p) {
    const Process& process = model_.processes[p];
    const int64_t pid = GlobalPid(process);
    for (const Activity& activity : process.activities) {
      if (!input_.Wants(process, activity)) continue;
      const Stream& stream = process.streams[activity.stream.value()];
      const int64_t device = process.devices[activity.device.value()].ordinal;
      const int64_t context = stream.context;
      const int64_t number = Signed(stream.number);
      const SqlValue node = NonZero(activity.graph_node);
      const SqlValue correlation = NonZero(activity.correlation);
      switch (activity.kind) {
        case ActivityKind::kKernel: WriteKernel(process, activity, pid); break;
        case ActivityKind::kMemcpy:
          file_.Insert(
              nsys::kMemcpyTable,
              {activity.begin_ns, activity.end_ns, device, context, number,
               correlation, pid, Signed(activity.bytes), Number(activity.copy),
               Number(activity.source), Number(activity.target), node});
          break;
        case ActivityKind::kMemset:
          file_.Insert(nsys::kMemsetTable,
                       {activity.begin_ns, activity.end_ns, device, context,
                        number, correlation, pid, int64_t{0},
                        Signed(activity.bytes), Number(activity.target), node});
          break;
      }
    }
  }

  void WriteKernel(const Process& process, const Activity& kernel,
                   int64_t pid) {
    const Stream& stream = process.streams[kernel.stream.value()];
    LaunchShape shape;
    if (kernel.shape < process.launch_shapes.size()) {
      shape = process.launch_shapes[kernel.shape];
    }
    const int64_t name = TextOf(ActivityName(model_, kernel));
    file_.Insert(nsys::kKernelTable,
                 {kernel.begin_ns,
                  kernel.end_ns,
                  int64_t{process.devices[kernel.device.value()].ordinal},
                  int64_t{stream.context},
                  std::monostate(),
                  Signed(stream.number),
                  NonZero(kernel.correlation),
                  pid,
                  name,
                  name,
                  TextOf(model_.texts[kernel.name]),
                  std::monostate(),
                  int64_t{shape.registers_per_thread},
                  int64_t{shape.grid[0]},
                  int64_t{shape.grid[1]},
                  int64_t{shape.grid[2]},
                  int64_t{shape.block[0]},
                  int64_t{shape.block[1]},
                  int64_t{shape.block[2]},
                  int64_t{shape.static_shared_bytes},
                  int64_t{shape.dynamic_shared_bytes},
                  NonZero(kernel.graph_node),
                  NonZero(kernel.graph)});
  }

  void WriteSyncs(size_t p) {
    const Process& process = model_.processes[p];
    constexpr int64_t kNone = 0xFFFFFFFF;
    for (const Sync& sync : process.syncs) {
      if (!sync.device.known() || !input_.Wants(sync)) continue;
      const Stream* const stream =
          sync.stream.known() ? &process.streams[sync.stream.value()] : nullptr;
      file_.Insert(
          nsys::kSyncTable,
          {sync.begin_ns, sync.end_ns,
           int64_t{process.devices[sync.device.value()].ordinal},
           stream ? int64_t{stream->context} : int64_t{0},
           stream ? Signed(stream->number) : kNone, NonZero(sync.correlation),
           GlobalPid(process), static_cast<int64_t>(sync.kind),
           sync.event == 0 ? kNone : Signed(sync.event)});
    }
  }

  const ExportInput& input_;
  const TraceModel& model_;
  SqliteFile file_;
  absl::flat_hash_map<std::string, int64_t> hosts_;
  absl::flat_hash_map<std::string, int64_t> texts_;
  int64_t gpus_ = 0;
};

}  // namespace

absl::Status WriteNsysTables(const ExportInput& input,
                             const std::string& path) {
  return NsysWriter(input, path).Run();
}

}  // namespace dltap::analyzer
