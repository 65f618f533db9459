// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/chrome_device.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/base/op_name.h"

namespace dltap::analyzer {
namespace {

using opmodel::DType;

// CUPTI's number of the default stream; some tools take 0 for no stream.
constexpr int64_t kDefaultStream = 7;

std::vector<int64_t> StreamNumbers(const Process& process) {
  int64_t largest = 0;
  bool taken = false;
  for (const Stream& stream : process.streams) {
    const auto number = static_cast<int64_t>(stream.number);
    largest = std::max(largest, number);
    taken |= number == kDefaultStream;
  }
  const int64_t for_zero = taken ? largest + 1 : kDefaultStream;
  std::vector<int64_t> numbers;
  for (const Stream& stream : process.streams) {
    const auto number = static_cast<int64_t>(stream.number);
    numbers.push_back(number > 0 ? number : for_zero);
  }
  return numbers;
}

// As PyTorch writes them; empty: it has no such type.
std::string_view ScalarType(DType type) {
  switch (type) {
    case DType::kF32: return "Float";
    case DType::kF64: return "Double";
    case DType::kF16: return "Half";
    case DType::kBf16: return "BFloat16";
    case DType::kI64: return "Long";
    case DType::kI32: return "Int";
    case DType::kI16: return "Short";
    case DType::kU8: return "Byte";
    case DType::kI8: return "Char";
    case DType::kBool: return "Bool";
    default: return "";
  }
}

std::string_view CategoryOf(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kKernel: return "kernel";
    case ActivityKind::kMemcpy: return "gpu_memcpy";
    case ActivityKind::kMemset: break;
  }
  return "gpu_memset";
}

std::string_view NameOf(SyncKind kind) {
  switch (kind) {
    case SyncKind::kEvent: return "Event Sync";
    case SyncKind::kStreamWaitEvent: return "Stream Wait Event";
    case SyncKind::kStream: return "Stream Sync";
    case SyncKind::kContext: return "Context Sync";
    case SyncKind::kUnknown: break;
  }
  return "Sync";
}

void WriteTriple(JsonWriter& json, std::string_view key,
                 const std::array<uint32_t, 3>& triple) {
  json.Key(key);
  json.BeginArray();
  for (const uint32_t part : triple) json.Value(uint64_t{part});
  json.EndArray();
}

}  // namespace

ChromeDevices::ChromeDevices(const ExportInput& input, size_t p,
                             ChromeEvents& events)
    : input_(input),
      model_(input.model),
      process_(input.model.processes[p]),
      attribution_(input.attribution.processes[p]),
      events_(events),
      stream_numbers_(StreamNumbers(process_)) {
  const CollectiveRuns& collectives = input.collectives;
  for (const CollectiveRun& run : collectives.runs) {
    if (collectives.locals[run.local].process != p) continue;
    run_of_.try_emplace(run.activity, &run);
  }
}

void ChromeDevices::WriteProperties(JsonWriter& json) const {
  json.Key("deviceProperties");
  json.BeginArray();
  for (const Device& device : process_.devices) {
    json.BeginObject();
    json.Field("id", device.ordinal);
    json.Field("name", device.name);
    json.Field("totalGlobalMem", device.memory_bytes);
    json.Field("computeMajor", device.compute_major);
    json.Field("computeMinor", device.compute_minor);
    json.Field("numSms", device.sms);
    json.Field("uuid", device.uuid);
    json.EndObject();
  }
  json.EndArray();
}

void ChromeDevices::WriteNames() {
  for (const Device& device : process_.devices) {
    events_.Meta("process_name", DeviceLabel(device), {device.ordinal, 0});
  }
  for (size_t s = 0; s < process_.streams.size(); ++s) {
    const Stream& stream = process_.streams[s];
    const int64_t number = stream_numbers_[s];
    events_.Meta("thread_name", "stream " + std::to_string(number),
                 {process_.devices[stream.device.value()].ordinal, number});
  }
}

ChromeRow ChromeDevices::RowOf(const Activity& activity) const {
  return {process_.devices[activity.device.value()].ordinal,
          stream_numbers_[activity.stream.value()]};
}

void ChromeDevices::Write(const absl::flat_hash_set<uint64_t>& flows) {
  for (size_t i = 0; i < process_.activities.size(); ++i) {
    const Activity& activity = process_.activities[i];
    if (!input_.Wants(process_, activity)) continue;
    WriteActivity(i);
    if (!flows.contains(activity.correlation)) continue;
    events_.FlowEnd(activity.correlation, RowOf(activity), activity.begin_ns);
  }
  WriteSyncs();
}

void ChromeDevices::WriteActivity(size_t i) {
  const Activity& activity = process_.activities[i];
  const Attributed& attributed = attribution_.activities[i];
  events_.BeginSpan(CategoryOf(activity.kind), ActivityName(model_, activity),
                    RowOf(activity), activity.begin_ns, activity.end_ns);
  JsonWriter& json = events_.json();
  if (activity.annotation.known()) {
    json.Field("External id", RangeExternalId(activity.annotation.value()));
  } else if (attributed.owner.known()) {
    json.Field("External id",
               CallExternalId(process_, attributed.owner.value()));
  }
  WritePlace(activity);
  if (activity.kind == ActivityKind::kKernel) {
    WriteShape(activity);
    WriteCollective(i);
  } else {
    json.Field("bytes", activity.bytes);
    const int64_t ns = activity.end_ns - activity.begin_ns;
    if (ns > 0) {  // bytes per nanosecond are GB/s
      json.Field("memory bandwidth (GB/s)",
                 static_cast<double>(activity.bytes) / static_cast<double>(ns));
    }
  }
  WriteClass(i);
  events_.EndSpan();
}

void ChromeDevices::WritePlace(const Activity& activity) {
  JsonWriter& json = events_.json();
  const ChromeRow row = RowOf(activity);
  json.Field("device", row.pid);
  const Stream& stream = process_.streams[activity.stream.value()];
  json.Field("context", uint64_t{stream.context});
  json.Field("stream", row.tid);
  if (activity.correlation != 0) {
    json.Field("correlation", activity.correlation);
  }
  if (activity.graph_node == 0) return;
  json.Field("graph id", uint64_t{activity.graph});
  json.Field("graph node id", activity.graph_node);
}

void ChromeDevices::WriteShape(const Activity& activity) {
  if (activity.shape >= process_.launch_shapes.size()) return;
  const LaunchShape& shape = process_.launch_shapes[activity.shape];
  JsonWriter& json = events_.json();
  json.Field("registers per thread", int{shape.registers_per_thread});
  json.Field("shared memory",
             uint64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes);
  WriteTriple(json, "grid", shape.grid);
  WriteTriple(json, "block", shape.block);
}

void ChromeDevices::WriteCollective(size_t activity) {
  const auto it = run_of_.find(activity);
  if (it == run_of_.end()) return;
  const CollectiveRun& run = *it->second;
  const LocalCommunicator& of = input_.collectives.locals[run.local];
  JsonWriter& json = events_.json();
  if (run.kind) json.Field("Collective name", Name(*run.kind));
  if (!ScalarType(run.dtype).empty()) {
    json.Field("dtype", ScalarType(run.dtype));
  }
  if (run.elements_in) json.Field("In msg nelems", *run.elements_in);
  if (run.elements_out) json.Field("Out msg nelems", *run.elements_out);
  if (of.ranks > 0) json.Field("Group size", of.ranks);
  if (!of.id.empty()) json.Field("Process Group Name", of.id);
  if (of.rank >= 0) json.Field("Rank", of.rank);
  if (run.sequence >= 0) json.Field("Seq", run.sequence);
}

void ChromeDevices::WriteClass(size_t activity) {
  const Attributed& attributed = attribution_.activities[activity];
  JsonWriter& json = events_.json();
  json.Field("dltap.class", analyzer::Name(attributed.layer_class));
  json.Field("dltap.direction", analyzer::Name(attributed.direction));
  json.Field("dltap.joined_by", analyzer::Name(attributed.joined_by));
  json.Field("dltap.class_from", analyzer::Name(attributed.class_from));
  if (attributed.autotune) json.Field("dltap.autotune", true);
  const OpIdentity op = IdentityOf(model_, process_, attribution_, activity);
  if (op.scalars != nullptr) json.Field("dltap.shape", Scalars(*op.scalars));
  WriteEvidence(process_.activities[activity], attributed);
}

// What the class could also rest on, so that one can score the rules.
void ChromeDevices::WriteEvidence(const Activity& activity,
                                  const Attributed& attributed) {
  if (activity.kind != ActivityKind::kKernel) return;
  JsonWriter& json = events_.json();
  const NameRule* by_name = RuleOf(activity.name);
  json.Key("dltap.class_by_name");
  by_name == nullptr ? json.Null()
                     : json.Value(analyzer::Name(by_name->layer_class));
  if (activity.annotation.known()) {
    const Range& range = process_.ranges[activity.annotation.value()];
    json.Field("dltap.operator", model_.texts[range.name]);
  }
  if (attributed.ruling.known()) {
    const Range& range = process_.ranges[attributed.ruling.value()];
    if (const auto* rule = MatchOperatorName(model_.texts[range.name])) {
      json.Field("dltap.class_by_operator", analyzer::Name(rule->layer_class));
    }
  }
  const Efficiency work =
      EfficiencyOf(attribution_, activity, attributed,
                   activity.end_ns - activity.begin_ns, nullptr);
  if (work.known_ns > 0) json.Field("dltap.flops", work.flops);
  if (work.bytes_ns > 0) {
    json.Field("dltap.bytes", work.bytes);
    json.Field("dltap.bytes_least", work.bytes_least);
  }
}

void ChromeDevices::WriteSyncs() {
  for (const Sync& sync : process_.syncs) {
    if (!sync.device.known() || !input_.Wants(sync)) continue;
    const Device& device = process_.devices[sync.device.value()];
    if (!Selects(input_.selection, device)) continue;
    const int64_t stream =
        sync.stream.known() ? stream_numbers_[sync.stream.value()] : -1;
    events_.BeginSpan("cuda_sync", NameOf(sync.kind), {device.ordinal, stream},
                      sync.begin_ns, sync.end_ns);
    JsonWriter& json = events_.json();
    json.Field("device", device.ordinal);
    json.Field("stream", stream);
    if (sync.correlation != 0) json.Field("correlation", sync.correlation);
    if (sync.event_stream.known()) {
      json.Field("wait_on_stream", stream_numbers_[sync.event_stream.value()]);
    }
    if (sync.event != 0) json.Field("wait_on_cuda_event_id", sync.event);
    if (sync.event_correlation != 0) {
      json.Field("wait_on_cuda_event_record_corr_id", sync.event_correlation);
    }
    events_.EndSpan();
  }
}

const NameRule* ChromeDevices::RuleOf(TextId name) {
  const auto [it, is_new] = rules_.try_emplace(name.value());
  if (is_new) it->second = MatchKernelName(Demangle(model_.texts[name]));
  return it->second;
}

}  // namespace dltap::analyzer
