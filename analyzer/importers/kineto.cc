// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/importers/byte_order_mark.h"
#include "analyzer/importers/json_pieces.h"
#include "analyzer/importers/kineto_event.h"
#include "analyzer/importers/kineto_process.h"
#include "analyzer/importers/simulated_gpu.h"
#include "analyzer/model/simulation_marks.h"
#include "simdjson.h"

namespace dltap::analyzer {
namespace {

using simdjson::ondemand::value;

static_assert(JsonPieces::kPadding > simdjson::SIMDJSON_PADDING);

Device DeviceFrom(simdjson::ondemand::object fields, int64_t& id) {
  Device device;
  for (auto field : fields) {
    std::string_view key;
    value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) break;
    if (field.value().get(v) != simdjson::SUCCESS) break;
    std::string_view text;
    int64_t number = 0;
    if (key == "name" || key == "uuid") {
      if (v.get_string().get(text) != simdjson::SUCCESS) continue;
      (key == "name" ? device.name : device.uuid) = text;
      device.simulated = IsSimulatedGpu(device.uuid);
    } else if (v.get_int64().get(number) == simdjson::SUCCESS) {
      if (key == "id") id = number;
      if (key == "computeMajor") device.compute_major = number;
      if (key == "computeMinor") device.compute_minor = number;
      if (key == "numSms") device.sms = static_cast<int>(number);
      if (key == "totalGlobalMem") device.memory_bytes = number;
    }
  }
  return device;
}

// Bytes that are no UTF-8 become '?', control characters spaces; whether any
// did.
bool Repair(std::string& text) {
  bool repaired = false;
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    size_t length = c < 0x80 ? 1 : c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    length = std::min(length, text.size() - i);
    if (simdjson::validate_utf8(text.data() + i, length) && c >= 0x20) {
      i += length;
      continue;
    }
    repaired |= c >= 0x80;
    text[i++] = c >= 0x80 ? '?' : ' ';
  }
  return repaired;
}

class KinetoReader {
 public:
  KinetoReader(const std::string& path, TraceModel& model)
      : path_(path), process_(model) {}

  absl::Status Run(const ImportContext& context) {
    absl::StatusOr<JsonPieces> pieces = JsonPieces::Open(path_);
    if (!pieces.ok()) return pieces.status();
    const JsonPieces::Visitor visitor = {
        [this](std::string_view key, std::string_view json) {
          ReadMember(key, json);
        },
        [this, &pieces](std::string_view array,
                        const std::vector<std::string_view>& elements) {
          ReadBatch(array, elements);
          process_.MakeRoom(pieces->part());
        }};
    const absl::Status status =
        pieces->Read("traceEvents", visitor, context.progress);
    if (!status.ok() && !pieces->damage().empty()) return CutAtOnce(*pieces);
    if (!status.ok()) return NoTrace(std::string(status.message()));
    process_.AddUnreadable(pieces->odd_elements());
    if (absl::Status s = Judge(*pieces); !s.ok()) return s;
    if (pieces->end() != JsonPieces::End::kWhole) {
      process_.SetCut();
      context.Problem(CutText(*pieces));
    }
    if (process_.processes() > 1) {
      context.Problem(absl::StrCat(
          path_, ": holds ", process_.processes(),
          " processes, which are taken for one: who waited for whom and which "
          "work is whose is not told; name the file of each instead"));
    }
    process_.Finish();
    return absl::OkStatus();
  }

 private:
  absl::Status NoTrace(std::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": no trace that dltap knows: ", std::string(why)));
  }

  std::string CutText(const JsonPieces& pieces) const {
    return absl::StrCat(
        path_, ": ends early, at byte ", pieces.bytes(),
        pieces.damage().empty() ? "" : " (" + pieces.damage() + ")", ": its ",
        events_, " whole events end at byte ", pieces.whole_until(),
        "; what followed is lost, of any time: such files are not in the order "
        "of time");
  }

  absl::Status CutAtOnce(const JsonPieces& pieces) const {
    return absl::DataLossError(absl::StrCat(
        path_, ": ends early, at byte ", pieces.bytes(),
        pieces.damage().empty() ? "" : " (" + pieces.damage() + ")",
        ", before its first whole event; copy or record it again"));
  }

  // Whether what was read is a trace of PyTorch's profiler.
  absl::Status Judge(const JsonPieces& pieces) const {
    const bool cut = pieces.end() != JsonPieces::End::kWhole;
    if (cut && events_ == 0) return CutAtOnce(pieces);
    if (is_execution_trace_) {
      return NoTrace(
          "an execution trace (Chakra) holds no times of the GPU; record one "
          "with torch.profiler");
    }
    if (!pieces.has_array()) return NoTrace("JSON without \"traceEvents\"");
    if (process_.used() > 0 && process_.used() == process_.without_times()) {
      return absl::DataLossError(absl::StrCat(
          path_, ": none of the ", process_.used(),
          " events of PyTorch's profiler in it has times that can be: \"ts\" "
          "and \"dur\" are microseconds"));
    }
    if (process_.used() > 0) return absl::OkStatus();
    if (process_.is_of_xla()) {
      return NoTrace(
          "XLA's profiler (JAX, TensorFlow) wrote it; trace the program with "
          "dltap run");
    }
    if (events_ > 0 || pieces.odd_elements() > 0 || pieces.is_bare_array()) {
      return NoTrace(absl::StrCat("none of its ", events_,
                                  " events is of PyTorch's profiler"));
    }
    return absl::OkStatus();
  }

  void ReadMember(std::string_view key, std::string_view json) {
    if (key == "nodes") is_execution_trace_ = true;
    const simdjson::padded_string text(json);
    simdjson::ondemand::document document;
    if (parser_.iterate(text).get(document) != simdjson::SUCCESS) return;
    if (key == "deviceProperties") ReadDevices(document);
    if (key == "distributedInfo") ReadDistributed(document);
    if (key == "dltap") ReadOwnExport(document);
    int64_t base = 0;
    if (key == "baseTimeNanoseconds" &&
        document.get_int64().get(base) == simdjson::SUCCESS) {
      process_.SetBaseNs(base);
    }
  }

  void ReadDevices(simdjson::ondemand::document& document) {
    simdjson::ondemand::array devices;
    if (document.get_array().get(devices) != simdjson::SUCCESS) return;
    for (auto element : devices) {
      simdjson::ondemand::object fields;
      if (element.get_object().get(fields) != simdjson::SUCCESS) return;
      int64_t id = 0;
      const Device device = DeviceFrom(fields, id);
      process_.SetDevice(id, device);
    }
  }

  // What the format has no place for, of a file that dltap wrote.
  void ReadOwnExport(simdjson::ondemand::document& document) {
    Process& process = process_.process();
    simdjson::ondemand::object fields;
    if (document.get_object().get(fields) != simdjson::SUCCESS) return;
    for (auto field : fields) {
      std::string_view key, text;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return;
      if (field.value().get_string().get(text) != simdjson::SUCCESS) continue;
      if (key == "program") process.program = text;
      if (key == "host") process.host = text;
      if (key == "framework") process.framework = text;
      if (key == kHostClockMark && text == kFixedCostsMark) {
        process.host_clock = HostClock::kFixedCosts;
      }
    }
  }

  void ReadDistributed(simdjson::ondemand::document& document) {
    simdjson::ondemand::object fields;
    if (document.get_object().get(fields) != simdjson::SUCCESS) return;
    for (auto field : fields) {
      std::string_view key;
      int64_t number = 0;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return;
      if (key != "rank" && key != "world_size") continue;
      if (field.value().get_int64().get(number) != simdjson::SUCCESS) continue;
      // -1: the program had not said yet which it is.
      if (number < 0 || number > std::numeric_limits<int>::max()) continue;
      Process& process = process_.process();
      (key == "rank" ? process.rank : process.world_size) =
          static_cast<int>(number);
    }
  }

  // All at once; from the first event that is not as it should be, each by
  // itself.
  void ReadBatch(std::string_view array,
                 const std::vector<std::string_view>& elements) {
    events_ += elements.size();
    size_t done = 0;
    simdjson::ondemand::document document;
    simdjson::ondemand::array events;
    const simdjson::padded_string_view text(
        array.data(), array.size(), array.size() + simdjson::SIMDJSON_PADDING);
    auto error = parser_.iterate(text).get(document);
    if (!error) error = document.get_array().get(events);
    if (!error) {
      for (auto element : events) {
        if (!ReadElement(element)) break;
        ++done;
      }
    }
    for (; done < elements.size(); ++done) ReadAlone(elements[done]);
  }

  template <typename Element>
  bool ReadElement(Element element) {
    value of_event;
    if (element.get(of_event) != simdjson::SUCCESS) return false;
    KinetoEvent event;
    if (!ReadKinetoEvent(of_event, event, KinetoProcess::Wants)) return false;
    process_.Add(event);
    return true;
  }

  void ReadAlone(std::string_view element) {
    std::string array = absl::StrCat("[", std::string(element), "]");
    if (Repair(array)) process_.AddRepaired();
    const simdjson::padded_string text(array);
    simdjson::ondemand::document document;
    simdjson::ondemand::array events;
    auto error = parser_.iterate(text).get(document);
    if (!error) error = document.get_array().get(events);
    if (!error) {
      for (auto of_array : events) {
        if (ReadElement(of_array)) return;
        break;
      }
    }
    process_.AddUnreadable(1);
  }

  const std::string& path_;
  KinetoProcess process_;
  simdjson::ondemand::parser parser_;
  uint64_t events_ = 0;
  bool is_execution_trace_ = false;
};

}  // namespace

bool LooksLikeKineto(std::string_view head) {
  head = WithoutByteOrderMark(head);
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos &&
         (head[first] == '{' || head[first] == '[');
}

absl::Status ImportKineto(const std::string& path, TraceModel& model,
                          const ImportContext& context) {
  model.format = SourceFormat::kKineto;
  model.files.push_back(path);
  return KinetoReader(path, model).Run(context);
}

}  // namespace dltap::analyzer
