// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/importers/api_table.h"
#include "analyzer/importers/nsys_database.h"
#include "analyzer/importers/nsys_facts.h"
#include "analyzer/importers/nsys_memory.h"
#include "analyzer/importers/nsys_processes.h"
#include "analyzer/model/nsys_schema.h"

namespace dltap::analyzer {
namespace {

struct ApiSource {
  std::string_view table;
  const char* library;
};
// The first holds the driver's calls too, since 2021.
constexpr ApiSource kApis[] = {{nsys::kRuntimeTable, "cuda_runtime"},
                               {nsys::kDriverTable, "cuda_driver"},
                               {nsys::kCudnnTable, "cudnn"},
                               {nsys::kCublasTable, "cublas"}};

constexpr int64_t kNewestSchema = 3;
constexpr uint64_t kRowsBetweenProgress = 1 << 16;

// ENUM_CUDA_MEMCPY_OPER, stable since the first export.
CopyKind CopyKindOf(int64_t number) {
  switch (number) {
    case nsys::kHtoD:
    case 3:
    case 11: return CopyKind::kHostToDevice;
    case nsys::kDtoH:
    case 4:
    case 12: return CopyKind::kDeviceToHost;
    case nsys::kHtoH: return CopyKind::kHostToHost;
    case nsys::kPtoP: return CopyKind::kPeer;
    case 5:
    case 6:
    case 7:
    case nsys::kDtoD:
    case 13: return CopyKind::kDeviceToDevice;
    default: return CopyKind::kUnknown;
  }
}

// "aten::mm, seq = 5, op_id = 7, sizes = ..." (PyTorch's emit_nvtx) ->
// "aten::mm"; else the text as it is.
std::string_view OperatorName(std::string_view text) {
  return text.substr(0,
                     std::min({text.find(", seq = "), text.find(", op_id = "),
                               text.find(", sizes = "), text.size()}));
}

uint32_t Unsigned32(std::optional<int64_t> value) {
  return static_cast<uint32_t>(value.value_or(0));
}

class NsysImporter {
 public:
  NsysImporter(NsysDatabase& database, TraceModel& model,
               const ImportContext& context)
      : database_(database), model_(model), context_(context), apis_(model) {}

  absl::Status Run() {
    const absl::StatusOr<int64_t> origin = NsysOriginNs(database_);
    if (!origin.ok()) return origin.status();
    origin_ns_ = *origin;
    const absl::StatusOr<int64_t> only = NsysOnlyProcess(database_);
    if (!only.ok()) return only.status();
    processes_.SetNameless(*only);
    CountRows();
    for (const auto read :
         {&NsysImporter::ReadTexts, &NsysImporter::ReadKernels,
          &NsysImporter::ReadWholeGraphs, &NsysImporter::ReadMemcpys,
          &NsysImporter::ReadMemsets, &NsysImporter::ReadApis,
          &NsysImporter::ReadSyncs, &NsysImporter::ReadDomains,
          &NsysImporter::ReadRanges, &NsysImporter::ReadSwitches}) {
      if (absl::Status s = (this->*read)(); !s.ok()) return s;
    }
    if (absl::Status s =
            AddNsysMemory(database_, origin_ns_, processes_, without_times_);
        !s.ok()) {
      return s;
    }
    if (absl::Status s = AddNsysFacts(database_, processes_); !s.ok()) return s;
    Finish();
    return absl::OkStatus();
  }

 private:
  void CountRows() {
    for (const std::string_view table :
         {nsys::kStringTable, nsys::kKernelTable, nsys::kMemcpyTable,
          nsys::kMemsetTable, nsys::kSyncTable, nsys::kRangeTable,
          nsys::kMemoryTable, nsys::kSwitchTable}) {
      expected_rows_ += database_.RowsAtMost(table);
    }
    for (const ApiSource& api : kApis) {
      expected_rows_ += database_.RowsAtMost(api.table);
    }
  }

  absl::Status Scan(std::string_view table,
                    std::initializer_list<std::string_view> columns,
                    const std::function<void(const NsysRow&)>& visit) {
    return database_.Scan(table, columns, [&](const NsysRow& row) {
      if (++rows_ % kRowsBetweenProgress == 0) {
        context_.Progress(static_cast<double>(rows_) /
                          static_cast<double>(std::max(
                              rows_, static_cast<uint64_t>(expected_rows_))));
      }
      visit(row);
    });
  }

  absl::Status ReadTexts() {
    return Scan(nsys::kStringTable, {nsys::kId, nsys::kValue},
                [this](const NsysRow& row) {
                  if (const auto id = row.Int(0)) {
                    texts_[*id] = model_.texts.Intern(row.Text(1));
                  }
                });
  }

  TextId TextOf(std::optional<int64_t> id) const {
    if (!id) return TextId();
    const auto it = texts_.find(*id);
    return it == texts_.end() ? TextId() : it->second;
  }

  // Columns 0 and 1: start and end. False: unusable, and counted.
  template <typename Event>
  bool ReadTimes(const NsysRow& row, Event& event) {
    const auto begin = row.Int(0), end = row.Int(1);
    if (!begin || !end || *end < *begin || *begin < -kMaxNsysTimeNs ||
        *end > kMaxNsysTimeNs) {
      ++without_times_;
      return false;
    }
    event.begin_ns = origin_ns_ + *begin;
    event.end_ns = origin_ns_ + *end;
    return true;
  }

  // Columns 0..7: start, end, deviceId, contextId, streamId, correlationId,
  // globalPid, graphNodeId. nullptr: unusable.
  NsysProcess* ReadActivity(const NsysRow& row, Activity& activity) {
    if (!ReadTimes(row, activity)) return nullptr;
    NsysProcess& at = processes_.Of(row.IntOr(6, 0));
    activity.device = at.DeviceOf(row.IntOr(2, 0));
    activity.stream =
        at.StreamOf(activity.device, row.IntOr(3, 0), row.IntOr(4, 0));
    activity.correlation = static_cast<uint64_t>(row.IntOr(5, 0));
    activity.graph_node = static_cast<uint64_t>(row.IntOr(7, 0));
    return &at;
  }

  absl::Status ReadKernels() {
    return Scan(nsys::kKernelTable,
                {nsys::kStart,
                 nsys::kEnd,
                 nsys::kDeviceId,
                 nsys::kContextId,
                 nsys::kStreamId,
                 nsys::kCorrelationId,
                 nsys::kGlobalPid,
                 nsys::kGraphNodeId,
                 nsys::kDemangledName,
                 nsys::kMangledName,
                 nsys::kShortName,
                 nsys::kGridX,
                 nsys::kGridY,
                 nsys::kGridZ,
                 nsys::kBlockX,
                 nsys::kBlockY,
                 nsys::kBlockZ,
                 nsys::kStaticSharedMemory,
                 nsys::kDynamicSharedMemory,
                 nsys::kRegistersPerThread,
                 nsys::kGraphId},
                [this](const NsysRow& row) {
                  Activity kernel{};
                  NsysProcess* at = ReadActivity(row, kernel);
                  if (at == nullptr) return;
                  kernel.kind = ActivityKind::kKernel;
                  kernel.graph = Unsigned32(row.Int(20));
                  for (const int column : {8, 9, 10}) {
                    if (!kernel.name.known())
                      kernel.name = TextOf(row.Int(column));
                  }
                  without_name_ += !kernel.name.known();
                  kernel.shape = at->shapes.Find(
                      at->process.launch_shapes,
                      {{Unsigned32(row.Int(11)), Unsigned32(row.Int(12)),
                        Unsigned32(row.Int(13))},
                       {Unsigned32(row.Int(14)), Unsigned32(row.Int(15)),
                        Unsigned32(row.Int(16))},
                       Unsigned32(row.Int(17)),
                       Unsigned32(row.Int(18)),
                       static_cast<uint16_t>(row.IntOr(19, 0))});
                  at->process.activities.push_back(kernel);
                });
  }

  // Recorded as one span per launch of a graph: its GPU time is known, what
  // ran in it is not.
  absl::Status ReadWholeGraphs() {
    return Scan(nsys::kGraphTable,
                {nsys::kStart, nsys::kEnd, nsys::kDeviceId, nsys::kContextId,
                 nsys::kStreamId, nsys::kCorrelationId, nsys::kGlobalPid,
                 nsys::kGraphNodeId, nsys::kGraphId},
                [this](const NsysRow& row) {
                  Activity graph{};
                  NsysProcess* at = ReadActivity(row, graph);
                  if (at == nullptr) return;
                  graph.kind = ActivityKind::kKernel;
                  graph.graph = Unsigned32(row.Int(8));
                  graph.name = model_.texts.Intern("(CUDA graph as a whole)");
                  graph.shape = at->shapes.Find(at->process.launch_shapes, {});
                  at->process.activities.push_back(graph);
                  ++whole_graphs_;
                });
  }

  absl::Status ReadMemcpys() {
    return Scan(nsys::kMemcpyTable,
                {nsys::kStart, nsys::kEnd, nsys::kDeviceId, nsys::kContextId,
                 nsys::kStreamId, nsys::kCorrelationId, nsys::kGlobalPid,
                 nsys::kGraphNodeId, nsys::kBytes, nsys::kCopyKind,
                 nsys::kSrcKind, nsys::kDstKind},
                [this](const NsysRow& row) {
                  Activity copy{};
                  NsysProcess* at = ReadActivity(row, copy);
                  if (at == nullptr) return;
                  copy.kind = ActivityKind::kMemcpy;
                  copy.bytes = static_cast<uint64_t>(row.IntOr(8, 0));
                  copy.copy = CopyKindOf(row.IntOr(9, 0));
                  copy.source = NsysMemoryKind(row.Int(10));
                  copy.target = NsysMemoryKind(row.Int(11));
                  copy.shape = at->shapes.Find(at->process.launch_shapes, {});
                  at->process.activities.push_back(copy);
                });
  }

  absl::Status ReadMemsets() {
    return Scan(nsys::kMemsetTable,
                {nsys::kStart, nsys::kEnd, nsys::kDeviceId, nsys::kContextId,
                 nsys::kStreamId, nsys::kCorrelationId, nsys::kGlobalPid,
                 nsys::kGraphNodeId, nsys::kBytes, nsys::kMemKind},
                [this](const NsysRow& row) {
                  Activity memset{};
                  NsysProcess* at = ReadActivity(row, memset);
                  if (at == nullptr) return;
                  memset.kind = ActivityKind::kMemset;
                  memset.bytes = static_cast<uint64_t>(row.IntOr(8, 0));
                  memset.target = NsysMemoryKind(row.Int(9));
                  memset.shape = at->shapes.Find(at->process.launch_shapes, {});
                  at->process.activities.push_back(memset);
                });
  }

  absl::Status ReadApis() {
    for (const ApiSource& api : kApis) {
      absl::Status status = Scan(
          api.table,
          {nsys::kStart, nsys::kEnd, nsys::kGlobalTid, nsys::kCorrelationId,
           nsys::kNameId, nsys::kReturnValue},
          [this, &api](const NsysRow& row) { ReadCall(row, api.library); });
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void ReadCall(const NsysRow& row, std::string_view library) {
    Call call{};
    if (!ReadTimes(row, call)) return;
    const int64_t global_tid = row.IntOr(2, 0);
    NsysProcess& at = processes_.Of(global_tid);
    call.thread = at.ThreadOf(global_tid);
    call.correlation = static_cast<uint64_t>(row.IntOr(3, 0));
    const int64_t name = row.IntOr(4, -1);
    const auto [entry, is_new] = entries_.try_emplace(name);
    if (is_new) {
      const std::string_view text = model_.texts[TextOf(name)];
      entry->second =
          apis_.Find(text.empty() ? "(name missing)" : text, library);
    }
    call.entry = entry->second;
    call.failed = row.IntOr(5, 0) != 0;
    at.process.calls.push_back(call);
  }

  absl::Status ReadSyncs() {
    return Scan(nsys::kSyncTable,
                {nsys::kStart, nsys::kEnd, nsys::kDeviceId, nsys::kContextId,
                 nsys::kStreamId, nsys::kCorrelationId, nsys::kGlobalPid,
                 nsys::kSyncType, nsys::kEventId},
                [this](const NsysRow& row) {
                  Sync sync{};
                  if (!ReadTimes(row, sync)) return;
                  NsysProcess& at = processes_.Of(row.IntOr(6, 0));
                  if (const auto device = row.Int(2)) {
                    sync.device = at.DeviceOf(*device);
                    // -1 as 32 bits: no stream of its own.
                    const auto stream = row.Int(4);
                    if (stream && *stream >= 0 && *stream < 0xFFFFFFFF) {
                      sync.stream =
                          at.StreamOf(sync.device, row.IntOr(3, 0), *stream);
                    }
                  }
                  sync.correlation = static_cast<uint64_t>(row.IntOr(5, 0));
                  const int64_t kind = row.IntOr(7, 0);
                  if (kind >= 0 && kind <= 4) {
                    sync.kind = static_cast<SyncKind>(kind);
                  }
                  const int64_t event = row.IntOr(8, 0);
                  if (event > 0 && event < 0xFFFFFFFF) {
                    sync.event = static_cast<uint64_t>(event);
                  }
                  at.process.syncs.push_back(sync);
                });
  }

  TextId TextOfRange(const NsysRow& row, int text, int text_id) {
    const std::string_view own = row.Text(text);
    return own.empty() ? TextOf(row.Int(text_id)) : model_.texts.Intern(own);
  }

  absl::Status ReadDomains() {
    return database_.Scan(
        nsys::kRangeTable,
        {nsys::kEventType, nsys::kDomainId, nsys::kGlobalTid, nsys::kText,
         nsys::kTextId},
        [this](const NsysRow& row) {
          if (row.IntOr(0, 0) != nsys::kDomainCreate) return;
          domains_[{ProcessKeyOf(row.IntOr(2, 0)), row.IntOr(1, 0)}] =
              TextOfRange(row, 3, 4);
        });
  }

  absl::Status ReadRanges() {
    return Scan(nsys::kRangeTable,
                {nsys::kStart, nsys::kEnd, nsys::kGlobalTid, nsys::kEventType,
                 nsys::kText, nsys::kTextId, nsys::kDomainId},
                [this](const NsysRow& row) {
                  const int64_t type = row.IntOr(3, nsys::kPushPop);
                  if (type != nsys::kPushPop && type != nsys::kStartEnd) return;
                  if (row.Int(0) && !row.Int(1)) {
                    ++open_ranges_;
                    return;
                  }
                  Range range{};
                  if (ReadTimes(row, range)) AddRange(row, range);
                });
  }

  void AddRange(const NsysRow& row, Range range) {
    const int64_t global_tid = row.IntOr(2, 0);
    NsysProcess& at = processes_.Of(global_tid);
    range.thread = at.ThreadOf(global_tid);
    const auto domain =
        domains_.find(std::pair(ProcessKeyOf(global_tid), row.IntOr(6, 0)));
    if (domain != domains_.end()) range.domain = domain->second;
    std::string_view text = row.Text(4);
    if (text.empty()) text = model_.texts[TextOf(row.Int(5))];
    const std::string_view name = OperatorName(text);
    range.name = model_.texts.Intern(name);
    range.kind = RangeKind::kNvtx;
    if (name.starts_with("aten::") || name.size() != text.size()) {
      range.kind = RangeKind::kFrameworkOp;
    }
    if (name.starts_with("enumerate(DataLoader)")) {
      range.kind = RangeKind::kDataLoader;
    }
    if (name.starts_with("ProfilerStep#")) range.kind = RangeKind::kStep;
    range.backward = name.starts_with("autograd::engine::evaluate_function");
    at.process.ranges.push_back(range);
  }

  // A thread is on a CPU from one switch to the next: a sample at each.
  absl::Status ReadSwitches() {
    struct Switch {
      int64_t at_ns;
      bool in;
    };
    absl::flat_hash_map<int64_t, std::vector<Switch>> of_thread;
    absl::Status status = Scan(
        nsys::kSwitchTable, {nsys::kStart, nsys::kGlobalTid, nsys::kIsSchedIn},
        [&](const NsysRow& row) {
          const int64_t tid = row.IntOr(1, 0);
          const NsysProcess* at = processes_.Find(tid);
          if (at == nullptr || !at->FindThread(tid).known()) return;
          const auto start = row.Int(0);
          if (!start || std::abs(*start) > kMaxNsysTimeNs) {
            ++without_times_;
            return;
          }
          of_thread[tid].push_back({*start, row.IntOr(2, 0) != 0});
        });
    for (auto& [tid, switches] : of_thread) {
      std::sort(
          switches.begin(), switches.end(),
          [](const Switch& a, const Switch& b) { return a.at_ns < b.at_ns; });
      Process& process = processes_.Find(tid)->process;
      const ThreadId thread = processes_.Find(tid)->FindThread(tid);
      int64_t cpu_ns = 0;
      for (size_t i = 0; i < switches.size(); ++i) {
        if (i > 0 && switches[i - 1].in) {
          cpu_ns += switches[i].at_ns - switches[i - 1].at_ns;
        }
        process.cpu_samples.push_back(
            {origin_ns_ + switches[i].at_ns, thread, switches[i].in, cpu_ns});
      }
      process.has_cpu_samples = true;
    }
    return status;
  }

  // A launch inside a call of cuBLAS belongs to it: depths by nesting.
  static void SetDepths(std::vector<Call>& calls) {
    std::stable_sort(calls.begin(), calls.end(),
                     [](const Call& a, const Call& b) {
                       return std::tuple(a.thread, a.begin_ns, -a.end_ns) <
                              std::tuple(b.thread, b.begin_ns, -b.end_ns);
                     });
    std::vector<const Call*> open;
    for (Call& call : calls) {
      while (!open.empty() && (open.back()->thread != call.thread ||
                               open.back()->end_ns < call.end_ns)) {
        open.pop_back();
      }
      call.depth = static_cast<uint8_t>(std::min<size_t>(open.size(), 255));
      open.push_back(&call);
    }
  }

  void Finish() {
    for (size_t i = 0; i < processes_.all().size(); ++i) {
      Process& process = processes_.all()[i]->process;
      SetDepths(process.calls);
      for (const Device& device : process.devices) {
        model_.simulated |= device.simulated;
      }
      // The tables are the file's: its first process stands for all.
      const bool first = i == 0;
      const auto lost = [&](const char* cause, const char* meaning,
                            uint64_t count) {
        process.losses.push_back({cause, meaning, first ? count : 0});
      };
      lost("import_unreadable", "rows without usable times", without_times_);
      lost("import_no_name", "kernels whose name the export lacks",
           without_name_);
      lost("import_open_range",
           "NVTX ranges that had not ended when recording stopped",
           open_ranges_);
      lost("import_whole_graph",
           "graph launches recorded as a whole, not kernel by kernel (nsys "
           "profile --cuda-graph-trace=node)",
           whole_graphs_);
      model_.processes.push_back(std::move(process));
    }
  }

  NsysDatabase& database_;
  TraceModel& model_;
  const ImportContext& context_;
  ApiTable apis_;
  NsysProcesses processes_;
  int64_t origin_ns_ = 0;
  int64_t expected_rows_ = 0;
  uint64_t rows_ = 0;
  uint64_t without_times_ = 0;
  uint64_t without_name_ = 0;
  uint64_t open_ranges_ = 0;
  uint64_t whole_graphs_ = 0;
  absl::flat_hash_map<int64_t, TextId> texts_;
  absl::flat_hash_map<int64_t, EntryPointId> entries_;  // by name id
  absl::flat_hash_map<std::pair<uint64_t, int64_t>, TextId> domains_;
};

bool IsNsys(const NsysDatabase& database) {
  return database.Has(nsys::kExportTable) || database.Has(nsys::kStringTable) ||
         database.Has(nsys::kKernelTable) || database.Has(kApis[0].table) ||
         database.Has(nsys::kRangeTable);
}

void CheckVersion(NsysDatabase& database, const std::string& path,
                  const ImportContext& context) {
  (void)database.Scan(
      nsys::kExportTable, {nsys::kName, nsys::kValue}, [&](const NsysRow& row) {
        if (row.Text(0) != nsys::kSchemaVersion) return;
        const std::string version(row.Text(1));
        if (std::atoll(version.c_str()) > kNewestSchema) {
          context.Problem(absl::StrCat(
              path, ": its schema ", version, " is newer than ", kNewestSchema,
              ".x, which dltap knows; compare totals with nsys stats"));
        }
      });
}

}  // namespace

absl::Status ImportNsys(const std::string& path, TraceModel& model,
                        const ImportContext& context) {
  absl::StatusOr<NsysDatabase> database = NsysDatabase::Open(path);
  if (!database.ok()) return database.status();
  if (!IsNsys(*database)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": a SQLite file, but none of Nsight Systems (no table StringIds "
        "or CUPTI_ACTIVITY_KIND_*); make one with nsys export --type "
        "sqlite REPORT.nsys-rep"));
  }
  CheckVersion(*database, path, context);
  model.format = SourceFormat::kNsys;
  model.files.push_back(path);
  const size_t before = model.processes.size();
  if (absl::Status s = NsysImporter(*database, model, context).Run(); !s.ok()) {
    return s;
  }
  if (model.processes.size() == before) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": it holds no CUDA or NVTX events; record with nsys profile "
        "--trace=cuda,nvtx"));
  }
  return absl::OkStatus();
}

}  // namespace dltap::analyzer
