// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "analyzer/importers/cuda_api_names.h"
#include "analyzer/importers/file_bytes.h"
#include "analyzer/importers/kineto_event.h"
#include "analyzer/importers/kineto_shapes.h"
#include "simdjson.h"

namespace dltap::analyzer {
namespace {

using simdjson::ondemand::value;

enum class Category {
  kOther,
  kApi,
  kKernel,
  kMemcpy,
  kMemset,
  kOperator,
  kAnnotation
};

// Kineto's names since 2022, and those of older versions.
Category CategoryOf(std::string_view name) {
  struct Row {
    std::string_view name;
    Category category;
  };
  constexpr Row kRows[] = {{"cuda_runtime", Category::kApi},
                           {"cuda_driver", Category::kApi},
                           {"Runtime", Category::kApi},
                           {"kernel", Category::kKernel},
                           {"Kernel", Category::kKernel},
                           {"gpu_memcpy", Category::kMemcpy},
                           {"Memcpy", Category::kMemcpy},
                           {"gpu_memset", Category::kMemset},
                           {"Memset", Category::kMemset},
                           {"cpu_op", Category::kOperator},
                           {"Operator", Category::kOperator},
                           {"operator", Category::kOperator},
                           {"user_annotation", Category::kAnnotation}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.category;
  }
  return Category::kOther;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "Memcpy HtoD (Pageable -> Device)"; ROCm: "CopyHostToDevice".
CopyKind CopyKindOf(std::string_view name) {
  if (Contains(name, "HtoD") || Contains(name, "HostToDevice")) {
    return CopyKind::kHostToDevice;
  }
  if (Contains(name, "DtoH") || Contains(name, "DeviceToHost")) {
    return CopyKind::kDeviceToHost;
  }
  if (Contains(name, "PtoP")) return CopyKind::kPeer;
  return CopyKind::kDeviceToDevice;
}

MemoryKind MemoryKindOf(std::string_view part) {
  if (Contains(part, "Pageable")) return MemoryKind::kPageable;
  if (Contains(part, "Pinned")) return MemoryKind::kPinned;
  if (Contains(part, "Device")) return MemoryKind::kDevice;
  return MemoryKind::kUnknown;
}

std::string Unquoted(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"') {
    token = token.substr(1, token.size() - 2);
  }
  return std::string(token);
}

class KinetoImporter {
 public:
  explicit KinetoImporter(TraceModel& model) : model_(model) {
    process_.level = "kernels";
    process_.framework = "PyTorch profiler";
  }

  absl::Status Run(const std::string& path, std::string bytes) {
    simdjson::padded_string json(bytes);
    bytes.clear();
    bytes.shrink_to_fit();
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::object top;
    auto error = parser.iterate(json).get(document);
    if (!error) error = document.get_object().get(top);
    if (!error) error = ReadTop(top);
    if (error) {
      return absl::DataLossError(absl::StrCat(
          path, ": broken JSON after event ", events_, ": ",
          simdjson::error_message(error), "; was the file cut short?"));
    }
    if (!has_events_) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": JSON without \"traceEvents\"; no trace that dltap knows"));
    }
    Finish();
    return absl::OkStatus();
  }

 private:
  simdjson::error_code ReadTop(simdjson::ondemand::object& top) {
    for (auto field : top) {
      std::string_view key;
      value v;
      if (auto error = field.unescaped_key().get(key)) return error;
      if (auto error = field.value().get(v)) return error;
      if (key == "traceEvents") {
        if (auto error = ReadEvents(v)) return error;
      } else if (key == "deviceProperties") {
        ReadDevices(v);
      } else if (key == "distributedInfo") {
        ReadDistributed(v);
      }
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code ReadEvents(value& v) {
    has_events_ = true;
    simdjson::ondemand::array events;
    if (auto error = v.get_array().get(events)) return error;
    for (auto element : events) {
      value of_event;
      if (auto error = element.get(of_event)) return error;
      simdjson::ondemand::json_type type;
      if (auto error = of_event.type().get(type)) return error;
      ++events_;
      if (type != simdjson::ondemand::json_type::object) {
        ++unreadable_;
        continue;
      }
      // The parser would take a file cut inside an event for its end.
      KinetoEvent event;
      if (!ReadKinetoEvent(of_event, event)) return simdjson::TAPE_ERROR;
      Add(event);
    }
    return simdjson::SUCCESS;
  }

  void ReadDevices(value& v) {
    simdjson::ondemand::array devices;
    if (v.get_array().get(devices) != simdjson::SUCCESS) return;
    for (auto element : devices) {
      simdjson::ondemand::object fields;
      if (element.get_object().get(fields) != simdjson::SUCCESS) return;
      int64_t id = 0;
      Device device;
      for (auto field : fields) {
        std::string_view key;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS) return;
        std::string_view text;
        int64_t number = 0;
        if (key == "name") {
          if (!field.value().get_string().get(text)) device.name = text;
        } else if (!field.value().get_int64().get(number)) {
          if (key == "id") id = number;
          if (key == "computeMajor") device.compute_major = number;
          if (key == "computeMinor") device.compute_minor = number;
          if (key == "numSms") device.sms = static_cast<int>(number);
          if (key == "totalGlobalMem") device.memory_bytes = number;
        }
      }
      properties_[id] = device;
    }
  }

  void ReadDistributed(value& v) {
    simdjson::ondemand::object fields;
    if (v.get_object().get(fields) != simdjson::SUCCESS) return;
    for (auto field : fields) {
      std::string_view key;
      int64_t number = 0;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return;
      if (key != "rank" && key != "world_size") continue;
      if (field.value().get_int64().get(number) != simdjson::SUCCESS) continue;
      (key == "rank" ? process_.rank : process_.world_size) =
          static_cast<int>(number);
    }
  }

  void Add(const KinetoEvent& event) {
    if (event.phase == "M") return AddMetadata(event);
    if (event.phase != "X") return;
    const Category category = CategoryOf(event.category);
    if (category == Category::kOther) return;
    if (!event.begin_ns || !event.duration_ns || *event.duration_ns < 0) {
      ++unreadable_;
      return;
    }
    switch (category) {
      case Category::kApi: return AddCall(event);
      case Category::kOperator:
      case Category::kAnnotation: return AddRange(event, category);
      default: return AddActivity(event, category);
    }
  }

  void AddMetadata(const KinetoEvent& event) {
    if (event.name == "thread_name") {
      thread_names_[Unquoted(event.tid)] = std::string(event.meta_name);
    }
  }

  ThreadId ThreadOf(const KinetoEvent& event) {
    if (process_.pid == 0) {
      const int64_t pid = std::atoll(Unquoted(event.pid).c_str());
      if (pid > 0) process_.pid = pid;
    }
    const auto [it, is_new] =
        threads_.try_emplace(std::string(event.tid), process_.threads.size());
    if (is_new) {
      const std::string tid = Unquoted(event.tid);
      process_.threads.push_back(
          {static_cast<uint64_t>(std::atoll(tid.c_str())), tid});
    }
    return ThreadId(it->second);
  }

  void AddCall(const KinetoEvent& event) {
    const auto [it, is_new] = entry_points_.try_emplace(
        std::string(event.name), model_.entry_points.size());
    if (is_new) {
      model_.entry_points.push_back({std::string(event.name),
                                     std::string(event.category),
                                     {},
                                     FindApi(event.name)});
    }
    Call call{};
    call.begin_ns = *event.begin_ns;
    call.end_ns = *event.begin_ns + *event.duration_ns;
    call.thread = ThreadOf(event);
    call.entry = EntryPointId(it->second);
    call.correlation = event.correlation;
    process_.calls.push_back(call);
  }

  void AddRange(const KinetoEvent& event, Category category) {
    Range range{};
    range.begin_ns = *event.begin_ns;
    range.end_ns = *event.begin_ns + *event.duration_ns;
    range.thread = ThreadOf(event);
    range.name = model_.texts.Intern(event.name);
    range.kind = category == Category::kOperator ? RangeKind::kFrameworkOp
                                                 : RangeKind::kUserAnnotation;
    if (event.name.starts_with("ProfilerStep#")) range.kind = RangeKind::kStep;
    range.backward =
        event.name.starts_with("autograd::engine::evaluate_function");
    OperationNodes nodes = OperationOfOperator(
        event.name, event.input_dims, event.input_types, event.concrete_inputs);
    if (!nodes.empty()) {
      range.operation = OperationId(model_.operations.size());
      model_.operations.push_back(std::move(nodes));
    }
    if (category == Category::kOperator && event.external_id != 0) {
      range_of_id_[event.external_id] = process_.ranges.size();
    }
    process_.ranges.push_back(range);
  }

  DeviceId DeviceOf(int64_t ordinal) {
    const auto [it, is_new] =
        devices_.try_emplace(ordinal, process_.devices.size());
    if (is_new) {
      process_.devices.emplace_back().ordinal = static_cast<int>(ordinal);
    }
    return DeviceId(it->second);
  }

  StreamId StreamOf(DeviceId device, const KinetoEvent& event) {
    const std::pair key(device.value(), event.stream);
    const auto [it, is_new] =
        streams_.try_emplace(key, process_.streams.size());
    if (is_new) {
      process_.streams.push_back({device, static_cast<uint64_t>(event.stream),
                                  static_cast<uint32_t>(event.context)});
    }
    return StreamId(it->second);
  }

  void AddActivity(const KinetoEvent& event, Category category) {
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
    activity.stream = StreamOf(activity.device, event);
    activity.kind = category == Category::kKernel   ? ActivityKind::kKernel
                    : category == Category::kMemcpy ? ActivityKind::kMemcpy
                                                    : ActivityKind::kMemset;
    if (category == Category::kMemcpy) {
      activity.copy = CopyKindOf(event.name);
      const size_t arrow = std::min(event.name.find("->"), event.name.size());
      activity.source = MemoryKindOf(event.name.substr(0, arrow));
      activity.target = MemoryKindOf(event.name.substr(arrow));
    }
    activity.shape = static_cast<uint32_t>(process_.launch_shapes.size());
    process_.launch_shapes.push_back(
        {event.grid, event.block, static_cast<uint32_t>(event.shared_bytes), 0,
         static_cast<uint16_t>(event.registers)});
    ids_.push_back(event.external_id);
    process_.activities.push_back(activity);
  }

  void Finish() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const auto range = range_of_id_.find(ids_[i]);
      if (ids_[i] != 0 && range != range_of_id_.end()) {
        process_.activities[i].annotation = RangeId(range->second);
      }
    }
    for (Device& device : process_.devices) {
      const auto it = properties_.find(device.ordinal);
      if (it == properties_.end()) continue;
      const int ordinal = device.ordinal;
      device = it->second;
      device.ordinal = ordinal;
    }
    for (Thread& thread : process_.threads) {
      const auto it = thread_names_.find(thread.name);
      thread.name = it == thread_names_.end() ? "" : it->second;
    }
    process_.losses.push_back(
        {"import_unreadable", "events that could not be read", unreadable_});
    model_.processes.push_back(std::move(process_));
  }

  TraceModel& model_;
  Process process_;
  bool has_events_ = false;
  uint64_t events_ = 0;
  uint64_t unreadable_ = 0;
  std::vector<uint64_t> ids_;  // External id of each activity
  absl::flat_hash_map<uint64_t, size_t> range_of_id_;
  absl::flat_hash_map<std::string, size_t> entry_points_;
  absl::flat_hash_map<std::string, size_t> threads_;
  absl::flat_hash_map<std::string, std::string> thread_names_;
  absl::flat_hash_map<int64_t, size_t> devices_;
  absl::flat_hash_map<int64_t, Device> properties_;
  absl::flat_hash_map<std::pair<size_t, int64_t>, size_t> streams_;
};

}  // namespace

bool LooksLikeKineto(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

absl::Status ImportKineto(const std::string& path, TraceModel& model) {
  absl::StatusOr<std::string> bytes = ReadFileBytes(path);
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() >= (uint64_t{1} << 32)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        path, ": more than 4 GiB of JSON; record fewer steps per file"));
  }
  model.format = SourceFormat::kKineto;
  model.files.push_back(path);
  return KinetoImporter(model).Run(path, *std::move(bytes));
}

}  // namespace dltap::analyzer
