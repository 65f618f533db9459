// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_process.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "analyzer/importers/kineto_shapes.h"
#include "analyzer/importers/operator_inputs.h"
#include "analyzer/importers/recorded_frames.h"

namespace dltap::analyzer {

namespace {

// A sum of many spans still fits the nanoseconds: three years.
constexpr int64_t kMaxDurationNs = 100'000'000'000'000'000;
constexpr int64_t kMaxTimeNs = 4'000'000'000'000'000'000;  // year 2096

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "Memcpy HtoD (Pageable -> Device)"; ROCm: "CopyHostToDevice".
CopyKind CopyKindOf(std::string_view name) {
  if (Contains(name, "HtoD") || Contains(name, "HostToDevice") ||
      Contains(name, "M2D")) {
    return CopyKind::kHostToDevice;
  }
  if (Contains(name, "DtoH") || Contains(name, "DeviceToHost") ||
      Contains(name, "D2M")) {
    return CopyKind::kDeviceToHost;
  }
  if (Contains(name, "PtoP")) return CopyKind::kPeer;
  return CopyKind::kDeviceToDevice;
}

MemoryKind MemoryKindOf(std::string_view part) {
  if (Contains(part, "Pageable")) return MemoryKind::kPageable;
  if (Contains(part, "Pinned")) return MemoryKind::kPinned;
  if (Contains(part, "Managed")) return MemoryKind::kManaged;
  if (Contains(part, "Device")) return MemoryKind::kDevice;
  return MemoryKind::kUnknown;
}

// "Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync".
SyncKind SyncKindOf(std::string_view name) {
  if (Contains(name, "Wait")) return SyncKind::kStreamWaitEvent;
  if (Contains(name, "Event")) return SyncKind::kEvent;
  if (Contains(name, "Stream")) return SyncKind::kStream;
  if (Contains(name, "Context") || Contains(name, "Device")) {
    return SyncKind::kContext;
  }
  return SyncKind::kUnknown;
}

std::string Unquoted(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"') {
    token = token.substr(1, token.size() - 2);
  }
  return std::string(token);
}

// The rest of a file may hold other events: what is large grows to four times
// its size at most.
template <typename T>
void MakeRoomIn(std::vector<T>& events, double part) {
  constexpr double kSmall = (256 << 20) / sizeof(T);
  const auto size = static_cast<double>(events.size());
  const auto room = static_cast<double>(events.capacity());
  const double expected = size / part;
  if (size < 0.75 * room || expected < room) return;
  events.reserve(static_cast<size_t>(
      std::min(1.1 * expected, std::max(kSmall, 4 * size))));
}

}  // namespace

KinetoProcess::KinetoProcess(TraceModel& model) : model_(model), apis_(model) {
  process_.level = "kernels";
  process_.framework = "PyTorch profiler";
}

bool KinetoProcess::Wants(std::string_view phase, KinetoKind kind) {
  if (phase == "M" || phase == "i") return true;
  return phase == "X" && kind != KinetoKind::kOther &&
         kind != KinetoKind::kPython;
}

void KinetoProcess::Add(const KinetoEvent& event) {
  if (event.phase == "M") return AddMetadata(event);
  if (event.phase == "i") return AddMemory(event);
  if (event.phase != "X") return;
  if (event.kind == KinetoKind::kOther) return;
  ++used_;
  if (!event.begin_ns || !event.duration_ns || *event.duration_ns < 0 ||
      *event.duration_ns > kMaxDurationNs) {
    ++without_times_;
    return;
  }
  switch (event.kind) {
    case KinetoKind::kApi: return AddCall(event);
    case KinetoKind::kSync: return AddSync(event);
    case KinetoKind::kOperator:
    case KinetoKind::kPython:
    case KinetoKind::kAnnotation: return AddRange(event);
    default: return AddActivity(event);
  }
}

void KinetoProcess::MakeRoom(double part) {
  if (!(part > 0)) return;
  MakeRoomIn(process_.calls, part);
  MakeRoomIn(process_.ranges, part);
  MakeRoomIn(range_of_id_, part);
  MakeRoomIn(process_.activities, part);
  MakeRoomIn(ids_, part);
  MakeRoomIn(process_.syncs, part);
  MakeRoomIn(process_.memory_events, part);
}

void KinetoProcess::AddMetadata(const KinetoEvent& event) {
  if (event.name == "thread_name") {
    thread_names_[Unquoted(event.tid)] = std::string(event.meta_name);
  }
  is_of_xla_ |= event.name == "process_name" &&
                (event.meta_name.starts_with("/device:") ||
                 event.meta_name.starts_with("/host:"));
}

void KinetoProcess::SetDevice(int64_t ordinal, const Device& device) {
  properties_[ordinal] = device;
}

ThreadId KinetoProcess::ThreadOf(const KinetoEvent& event) {
  if (event.pid != last_pid_) {
    last_pid_ = event.pid;
    const int64_t pid = std::atoll(Unquoted(event.pid).c_str());
    if (pid > 0) pids_.insert(pid);
    if (process_.pid == 0 && pid > 0) process_.pid = pid;
  }
  if (last_thread_.known() && event.tid == last_tid_) return last_thread_;
  last_tid_ = event.tid;
  const auto [it, is_new] =
      threads_.try_emplace(last_tid_, process_.threads.size());
  if (is_new) {
    const std::string tid = Unquoted(event.tid);
    process_.threads.push_back(
        {static_cast<uint64_t>(std::atoll(tid.c_str())), tid});
  }
  last_thread_ = ThreadId(it->second);
  return last_thread_;
}

void KinetoProcess::AddCall(const KinetoEvent& event) {
  Call call{};
  call.begin_ns = *event.begin_ns;
  call.end_ns = *event.begin_ns + *event.duration_ns;
  call.thread = ThreadOf(event);
  call.entry = apis_.Find(event.name, event.category);
  call.correlation = event.correlation;
  process_.calls.push_back(call);
}

// "<built-in method acquire of _thread.lock object at 0x7fb7b632ed00>": where
// the object is differs from process to process.
std::string_view KinetoProcess::NameOf(const KinetoEvent& event) {
  if (event.kind != KinetoKind::kPython || !event.name.ends_with('>')) {
    return event.name;
  }
  const size_t address = event.name.rfind(" object at 0x");
  if (address == std::string_view::npos) return event.name;
  function_.assign(event.name.substr(0, address)).push_back('>');
  return function_;
}

void KinetoProcess::AddRange(const KinetoEvent& event) {
  Range range{};
  range.begin_ns = *event.begin_ns;
  range.end_ns = *event.begin_ns + *event.duration_ns;
  range.thread = ThreadOf(event);
  range.name = model_.texts.Intern(NameOf(event));
  range.kind = event.kind == KinetoKind::kOperator ? RangeKind::kFrameworkOp
               : event.kind == KinetoKind::kPython ? RangeKind::kPython
                                                   : RangeKind::kUserAnnotation;
  if (event.name.starts_with("ProfilerStep#")) range.kind = RangeKind::kStep;
  if (event.name.starts_with("enumerate(DataLoader)")) {
    range.kind = RangeKind::kDataLoader;
  }
  range.backward =
      event.name.starts_with("autograd::engine::evaluate_function");
  range.operation = OperationOf(event);
  range.sequence = event.node_sequence;
  if (range.sequence >= 0 && event.forward_thread > 0) {
    nodes_.push_back(
        {static_cast<uint32_t>(process_.ranges.size()), event.forward_thread});
  }
  if (event.kind == KinetoKind::kOperator && event.external_id != 0) {
    range_of_id_.emplace_back(event.external_id,
                              static_cast<uint32_t>(process_.ranges.size()));
  }
  if (!event.collective.empty()) {
    collective_of_range_.emplace(static_cast<uint32_t>(process_.ranges.size()),
                                 CollectiveOf(event));
  }
  process_.ranges.push_back(range);
}

// A program calls few operators with few shapes, each many times.
OperationId KinetoProcess::OperationOf(const KinetoEvent& event) {
  if (event.input_dims.empty()) return OperationId();
  operation_key_.assign(event.name);
  operation_key_.append(event.input_dims).append(event.input_types);
  operation_key_.append(event.concrete_inputs).append(event.input_strides);
  const auto [it, is_new] = operations_.try_emplace(operation_key_);
  if (is_new) {
    OperationNodes nodes =
        OperationOfOperator(event.name, event.input_dims, event.input_types,
                            event.concrete_inputs, event.input_strides);
    if (!nodes.empty()) {
      it->second = OperationId(model_.operations.size());
      model_.operations.push_back(std::move(nodes));
    }
  }
  return it->second;
}

DeviceId KinetoProcess::DeviceOf(int64_t ordinal) {
  const auto [it, is_new] =
      devices_.try_emplace(ordinal, process_.devices.size());
  if (is_new) {
    process_.devices.emplace_back().ordinal = static_cast<int>(ordinal);
  }
  return DeviceId(it->second);
}

StreamId KinetoProcess::StreamOf(DeviceId device, int64_t stream,
                                 uint64_t context) {
  const auto [it, is_new] = streams_.try_emplace(
      std::pair(device.value(), stream), process_.streams.size());
  if (is_new) {
    process_.streams.push_back({device, static_cast<uint64_t>(stream),
                                static_cast<uint32_t>(context)});
  }
  return StreamId(it->second);
}

void KinetoProcess::AddSync(const KinetoEvent& event) {
  Sync sync{};
  sync.begin_ns = *event.begin_ns;
  sync.end_ns = *event.begin_ns + *event.duration_ns;
  sync.correlation = event.correlation;
  sync.event = event.waited_event;
  sync.event_correlation = event.waited_record;
  sync.kind = SyncKindOf(event.name);
  if (event.device >= 0) {
    sync.device = DeviceOf(event.device);
    if (event.stream >= 0) {
      sync.stream = StreamOf(sync.device, event.stream, event.context);
    }
    if (event.waited_stream >= 0) {
      sync.event_stream =
          StreamOf(sync.device, event.waited_stream, event.context);
    }
  }
  process_.syncs.push_back(sync);
}

// With profile_memory. Old versions don't tell the totals, and then the base
// on which the numbers stand is not known.
void KinetoProcess::AddMemory(const KinetoEvent& event) {
  const bool refused = event.name == "[OutOfMemory]";
  const bool is_of_device = (refused || event.name == "[memory]") &&
                            event.device_type > 0 && event.device >= 0 &&
                            event.allocated_bytes >= 0 &&
                            event.reserved_bytes >= 0;
  if (!is_of_device) return;
  ++used_;
  if (!event.begin_ns) {
    ++without_times_;
    return;
  }
  process_.memory_events.push_back(
      {*event.begin_ns, event.address, event.memory_bytes,
       event.allocated_bytes, event.reserved_bytes, ThreadOf(event),
       DeviceOf(event.device), MemoryKind::kDevice, refused});
}

void KinetoProcess::AddActivity(const KinetoEvent& event) {
  Activity activity{};
  activity.begin_ns = *event.begin_ns;
  activity.end_ns = *event.begin_ns + *event.duration_ns;
  activity.correlation = event.correlation;
  activity.bytes = event.bytes;
  activity.graph_node = event.graph_node;
  activity.graph = event.graph;
  activity.name = model_.texts.Intern(event.name);
  const int64_t ordinal = event.device >= 0
                              ? event.device
                              : std::atoll(Unquoted(event.pid).c_str());
  activity.device = DeviceOf(ordinal);
  activity.stream = StreamOf(activity.device, event.stream, event.context);
  activity.kind = event.kind == KinetoKind::kKernel   ? ActivityKind::kKernel
                  : event.kind == KinetoKind::kMemcpy ? ActivityKind::kMemcpy
                                                      : ActivityKind::kMemset;
  if (event.kind == KinetoKind::kMemcpy) {
    activity.copy = CopyKindOf(event.name);
    const size_t arrow = std::min(event.name.find("->"), event.name.size());
    activity.source = MemoryKindOf(event.name.substr(0, arrow));
    activity.target = MemoryKindOf(event.name.substr(arrow));
  }
  activity.shape = shapes_.Find(
      process_.launch_shapes,
      {event.grid, event.block, static_cast<uint32_t>(event.shared_bytes), 0,
       static_cast<uint16_t>(event.registers)});
  activity.stated = StatedClassOf(event);
  ids_.push_back(event.external_id);
  process_.activities.push_back(activity);
  if (!event.collective.empty() && event.correlation != 0) {
    process_.collectives.push_back(CollectiveOf(event));
  }
}

// 0: nothing is said, or nothing that this version knows.
uint16_t KinetoProcess::StatedClassOf(const KinetoEvent& event) {
  if (event.layer_class.empty()) return 0;
  const auto layer_class = specs::FromName<LayerClass>(event.layer_class);
  const auto direction = specs::FromName<Direction>(event.direction);
  if (!layer_class || !direction) return 0;
  StatedClass stated{*layer_class, *direction, ClassFrom::kNone,
                     event.autotune};
  for (size_t i = 0; i < static_cast<size_t>(ClassFrom::kCount); ++i) {
    const auto from = static_cast<ClassFrom>(i);
    if (Name(from) == event.class_from) stated.class_from = from;
  }
  std::vector<StatedClass>& all = process_.stated_classes;
  if (all.empty()) all.emplace_back();
  const auto at = std::find(all.begin() + 1, all.end(), stated) - all.begin();
  if (static_cast<size_t>(at) == all.size()) all.push_back(stated);
  return static_cast<uint16_t>(at);
}

CollectiveRecord KinetoProcess::CollectiveOf(const KinetoEvent& event) {
  CollectiveRecord record{};
  record.correlation = event.correlation;
  record.name = model_.texts.Intern(event.collective);
  if (!event.group_name.empty() || !event.group_ranks.empty()) {
    record.communicator = model_.texts.Intern(
        std::string(event.group_name) + " " + std::string(event.group_ranks));
  }
  record.elements_in = event.elements_in;
  record.elements_out = event.elements_out;
  record.sequence = event.sequence;
  record.ranks = static_cast<int>(std::clamp<int64_t>(
      event.group_size, 0, std::numeric_limits<int>::max()));
  record.dtype = DTypeOfScalarType(event.dtype);
  return record;
}

// A kernel's own description comes before that of its operator.
void KinetoProcess::JoinCollectives() {
  std::vector<CollectiveRecord>& records = process_.collectives;
  if (!collective_of_range_.empty()) {
    absl::flat_hash_set<uint64_t> known;
    for (const CollectiveRecord& of : records) known.insert(of.correlation);
    for (const Activity& activity : process_.activities) {
      if (!activity.annotation.known() || activity.correlation == 0) continue;
      const auto it = collective_of_range_.find(
          static_cast<uint32_t>(activity.annotation.value()));
      if (it == collective_of_range_.end()) continue;
      if (!known.insert(activity.correlation).second) continue;
      records.push_back(it->second);
      records.back().correlation = activity.correlation;
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const CollectiveRecord& a, const CollectiveRecord& b) {
                     return a.correlation < b.correlation;
                   });
}

// Times count from the file's base; ranks of one job have different ones.
void KinetoProcess::AddBase() {
  if (base_ns_ <= 0 || base_ns_ > kMaxTimeNs) return;
  int64_t largest = 0;
  const auto visit = [](auto& events, const auto& what) {
    for (auto& event : events) what(event.begin_ns), what(event.end_ns);
  };
  const auto visit_all = [&](const auto& what) {
    visit(process_.calls, what);
    visit(process_.activities, what);
    visit(process_.ranges, what);
    visit(process_.syncs, what);
    for (MemoryEvent& event : process_.memory_events) what(event.at_ns);
  };
  visit_all([&](int64_t& ns) { largest = std::max(largest, std::abs(ns)); });
  if (largest > kMaxTimeNs - base_ns_) return;
  visit_all([&](int64_t& ns) { ns += base_ns_; });
}

void KinetoProcess::AddLosses() {
  process_.losses.push_back(
      {"import_unreadable", "events that could not be read", unreadable_});
  process_.losses.push_back(
      {"import_no_times", "events without usable times", without_times_});
  process_.losses.push_back(
      {"import_repaired", "events with bytes that are no UTF-8, replaced by ?",
       repaired_});
  process_.losses.push_back(
      {"import_cut", "files that end before their last event", is_cut_});
  if (is_cut_) process_.complete = false;
}

// Of several operators with one id the last counts.
void KinetoProcess::JoinOperators() {
  if (!std::is_sorted(range_of_id_.begin(), range_of_id_.end())) {
    std::sort(range_of_id_.begin(), range_of_id_.end());
  }
  // Work mostly comes in the order of its operators.
  auto after = range_of_id_.begin();
  for (size_t i = 0; i < process_.activities.size(); ++i) {
    const uint64_t id = ids_[i];
    if (id == 0) continue;
    const bool is_next = after != range_of_id_.begin() &&
                         (after - 1)->first <= id &&
                         (after == range_of_id_.end() || after->first >= id);
    if (is_next) {
      while (after != range_of_id_.end() && after->first == id) ++after;
    } else {
      after =
          std::upper_bound(range_of_id_.begin(), range_of_id_.end(),
                           std::pair(id, std::numeric_limits<uint32_t>::max()));
    }
    if (after == range_of_id_.begin() || (after - 1)->first != id) continue;
    process_.activities[i].annotation = RangeId((after - 1)->second);
  }
}

void KinetoProcess::Finish() {
  NumberNodes(nodes_, process_);
  JoinOperators();
  JoinCollectives();
  for (Device& device : process_.devices) {
    const auto it = properties_.find(device.ordinal);
    if (it == properties_.end()) continue;
    const int ordinal = device.ordinal;
    device = it->second;
    device.ordinal = ordinal;
    model_.simulated |= device.simulated;
  }
  for (Thread& thread : process_.threads) {
    const auto it = thread_names_.find(thread.name);
    thread.name = it == thread_names_.end() ? "" : it->second;
  }
  AddBase();
  LookAtRecordedFrames(model_, process_);
  AddLosses();
  model_.processes.push_back(std::move(process_));
}

}  // namespace dltap::analyzer
