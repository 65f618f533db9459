// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_event.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace dltap::analyzer {
namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

// Sums of three such times still fit the nanoseconds; it is the year 2065.
constexpr int64_t kMaxMicroseconds = 3'000'000'000'000'000;

std::string_view Trim(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') {
    token.remove_suffix(1);
  }
  return token;
}

std::string_view Token(value& v) { return Trim(v.raw_json_token()); }

// A string; what has broken escapes (old profilers) is taken as it stands.
std::string_view Text(value& v) {
  std::string_view raw = Token(v);
  if (raw.size() < 2 || raw.front() != '"' || raw.back() != '"') return raw;
  const std::string_view inner = raw.substr(1, raw.size() - 2);
  if (inner.find('\\') == std::string_view::npos) return inner;
  std::string_view text;
  return v.get_string().get(text) == simdjson::SUCCESS ? text : inner;
}

// A key as it stands in the text; an escaped one equals none of ours.
std::string_view Key(simdjson::ondemand::field& field) {
  const char* raw = field.key().raw();
  return {raw, static_cast<size_t>(std::strchr(raw, '"') - raw)};
}

// Numbers are written as numbers or as strings, by version.
int64_t Integer(value& v) {
  std::string_view token = Token(v);
  if (token.starts_with('"')) token.remove_prefix(1);
  int64_t number = 0;
  std::from_chars(token.data(), token.data() + token.size(), number);
  return number;
}

uint64_t Unsigned(value& v) { return static_cast<uint64_t>(Integer(v)); }

std::array<uint32_t, 3> Triple(value& v) {
  std::array<uint32_t, 3> triple{};
  simdjson::ondemand::array values;
  if (v.get_array().get(values) != simdjson::SUCCESS) return triple;
  size_t i = 0;
  for (auto element : values) {
    uint64_t number = 0;
    if (i == 3 || element.get_uint64().get(number) != simdjson::SUCCESS) break;
    triple[i++] = static_cast<uint32_t>(number);
  }
  return triple;
}

std::string_view RawJson(value& v) {
  simdjson::ondemand::array values;
  std::string_view raw;
  if (v.get_array().get(values) != simdjson::SUCCESS) return {};
  if (values.raw_json().get(raw) != simdjson::SUCCESS) return {};
  return raw;
}

struct ArgReader {
  std::string_view key;
  void (*read)(value&, KinetoEvent&);
};

// By the length of the key: most arguments of an event are none of these.
constexpr ArgReader kArgs[] = {
    {"Seq", [](value& v, KinetoEvent& e) { e.sequence = Integer(v); }},
    {"name", [](value& v, KinetoEvent& e) { e.meta_name = Text(v); }},
    {"Addr", [](value& v, KinetoEvent& e) { e.address = Unsigned(v); }},
    {"grid", [](value& v, KinetoEvent& e) { e.grid = Triple(v); }},
    {"Bytes", [](value& v, KinetoEvent& e) { e.memory_bytes = Integer(v); }},
    {"bytes", [](value& v, KinetoEvent& e) { e.bytes = Unsigned(v); }},
    {"dtype", [](value& v, KinetoEvent& e) { e.dtype = Text(v); }},
    {"block", [](value& v, KinetoEvent& e) { e.block = Triple(v); }},
    {"device", [](value& v, KinetoEvent& e) { e.device = Integer(v); }},
    {"stream", [](value& v, KinetoEvent& e) { e.stream = Integer(v); }},
    {"context", [](value& v, KinetoEvent& e) { e.context = Unsigned(v); }},
    {"graph id",
     [](value& v, KinetoEvent& e) {
       e.graph = static_cast<uint32_t>(Unsigned(v));
     }},
    {"Device Id", [](value& v, KinetoEvent& e) { e.device = Integer(v); }},
    {"Group size", [](value& v, KinetoEvent& e) { e.group_size = Integer(v); }},
    {"Input Dims", [](value& v, KinetoEvent& e) { e.input_dims = RawJson(v); }},
    {"Input dims", [](value& v, KinetoEvent& e) { e.input_dims = RawJson(v); }},
    {"Input type",
     [](value& v, KinetoEvent& e) { e.input_types = RawJson(v); }},
    {"Device Type",
     [](value& v, KinetoEvent& e) { e.device_type = Integer(v); }},
    {"correlation",
     [](value& v, KinetoEvent& e) { e.correlation = Unsigned(v); }},
    {"External id",
     [](value& v, KinetoEvent& e) { e.external_id = Unsigned(v); }},
    {"external id",
     [](value& v, KinetoEvent& e) { e.external_id = Unsigned(v); }},
    {"Fwd thread id",
     [](value& v, KinetoEvent& e) { e.forward_thread = Integer(v); }},
    {"In msg nelems",
     [](value& v, KinetoEvent& e) { e.elements_in = Integer(v); }},
    {"graph node id",
     [](value& v, KinetoEvent& e) { e.graph_node = Unsigned(v); }},
    {"shared memory",
     [](value& v, KinetoEvent& e) { e.shared_bytes = Integer(v); }},
    {"Out msg nelems",
     [](value& v, KinetoEvent& e) { e.elements_out = Integer(v); }},
    {"Total Reserved",
     [](value& v, KinetoEvent& e) { e.reserved_bytes = Integer(v); }},
    {"wait_on_stream",
     [](value& v, KinetoEvent& e) { e.waited_stream = Integer(v); }},
    {"Total Allocated",
     [](value& v, KinetoEvent& e) { e.allocated_bytes = Integer(v); }},
    {"Concrete Inputs",
     [](value& v, KinetoEvent& e) { e.concrete_inputs = RawJson(v); }},
    {"Sequence number",
     [](value& v, KinetoEvent& e) { e.node_sequence = Integer(v); }},
    {"Collective name",
     [](value& v, KinetoEvent& e) { e.collective = Text(v); }},
    {"Process Group Name",
     [](value& v, KinetoEvent& e) { e.group_name = Text(v); }},
    {"Process Group Ranks",
     [](value& v, KinetoEvent& e) { e.group_ranks = Text(v); }},
    {"registers per thread",
     [](value& v, KinetoEvent& e) { e.registers = Integer(v); }},
    {"wait_on_cuda_event_id",
     [](value& v, KinetoEvent& e) { e.waited_event = Unsigned(v); }},
    {"wait_on_cuda_event_record_corr_id",
     [](value& v, KinetoEvent& e) { e.waited_record = Unsigned(v); }},
};
constexpr size_t kLongestKey = 33;

// Position of the first argument whose key is as long as the index, or longer.
constexpr auto kFirstOfLength = [] {
  std::array<uint8_t, kLongestKey + 2> first{};
  for (size_t length = 0; length < first.size(); ++length) {
    while (first[length] < std::size(kArgs) &&
           kArgs[first[length]].key.size() < length) {
      ++first[length];
    }
  }
  return first;
}();

void ReadArgs(value& args, KinetoEvent& event) {
  object fields;
  if (args.get_object().get(fields) != simdjson::SUCCESS) return;
  for (auto element : fields) {
    simdjson::ondemand::field field;
    if (std::move(element).get(field) != simdjson::SUCCESS) return;
    const std::string_view key = Key(field);
    if (key.size() > kLongestKey) continue;
    for (size_t i = kFirstOfLength[key.size()];
         i < kFirstOfLength[key.size() + 1]; ++i) {
      if (kArgs[i].key == key) kArgs[i].read(field.value(), event);
    }
  }
}

void ReadMember(std::string_view key, value& v, KinetoEvent& event) {
  if (key == "ph") event.phase = Text(v);
  if (key == "ts") event.begin_ns = ParseMicroseconds(Token(v));
  if (key == "cat") event.category = Text(v);
  if (key == "pid") event.pid = Token(v);
  if (key == "tid") event.tid = Token(v);
  if (key == "dur") event.duration_ns = ParseMicroseconds(Token(v));
  if (key == "name") event.name = Text(v);
}

// Exponents: old profilers wrote large times through a float.
std::optional<int64_t> ParseExponent(std::string_view token) {
  double us = 0;
  const char* end = token.data() + token.size();
  const auto parsed = std::from_chars(token.data(), end, us);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (!(std::fabs(us) <= static_cast<double>(kMaxMicroseconds))) {
    return std::nullopt;
  }
  return std::llround(us * 1e3);
}

}  // namespace

std::optional<int64_t> ParseMicroseconds(std::string_view token) {
  if (token.size() >= 2 && token.starts_with('"')) {
    token = token.substr(1, token.size() - 2);
  }
  if (token.find_first_of("eE") != std::string_view::npos) {
    return ParseExponent(token);
  }
  int64_t us = 0;
  const char* end = token.data() + token.size();
  const auto whole = std::from_chars(token.data(), end, us);
  if (whole.ec != std::errc()) return std::nullopt;
  if (us > kMaxMicroseconds || us < -kMaxMicroseconds) return std::nullopt;
  if (whole.ptr != end && *whole.ptr != '.') return std::nullopt;
  int64_t fraction = 0;
  int64_t scale = 100;
  for (const char* c = whole.ptr; c != end && ++c != end; scale /= 10) {
    if (*c < '0' || *c > '9') return std::nullopt;
    fraction += (*c - '0') * scale;
  }
  return us * 1000 + (token.starts_with('-') ? -fraction : fraction);
}

bool ReadKinetoEvent(value v, KinetoEvent& event, WantsArgs wants) {
  object fields;
  if (v.get_object().get(fields) != simdjson::SUCCESS) return false;
  for (auto element : fields) {
    simdjson::ondemand::field field;
    if (std::move(element).get(field) != simdjson::SUCCESS) return false;
    const std::string_view key = Key(field);
    if (key.size() > 4) continue;
    if (key != "args") {
      ReadMember(key, field.value(), event);
    } else if (wants == nullptr || event.phase.empty() ||
               wants(event.phase, event.category)) {
      ReadArgs(field.value(), event);
    }
  }
  return true;
}

}  // namespace dltap::analyzer
