// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_event.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "analyzer/importers/key_table.h"

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

// A key as it stands in the text, but for the few that are escaped.
std::string_view Key(simdjson::ondemand::field& field) {
  const char* raw = field.key().raw();
  const std::string_view key(raw,
                             static_cast<size_t>(std::strchr(raw, '"') - raw));
  if (key.find('\\') == std::string_view::npos) return key;
  std::string_view text;
  return field.unescaped_key().get(text) == simdjson::SUCCESS ? text : key;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Numbers are written as numbers or as strings, by version.
int64_t Integer(value& v) {
  std::string_view token = Token(v);
  if (token.starts_with('"')) token.remove_prefix(1);
  int64_t number = 0;
  const size_t few = std::min<size_t>(token.size(), 18);
  size_t digits = 0;
  for (; digits < few && IsDigit(token[digits]); ++digits) {
    number = number * 10 + (token[digits] - '0');
  }
  if (digits > 0 && digits < 18) return number;
  number = 0;
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

using Reader = void (*)(value&, KinetoEvent&);

constexpr std::pair<std::string_view, Reader> kArgRows[] = {
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
    {"Input Strides",
     [](value& v, KinetoEvent& e) { e.input_strides = RawJson(v); }},
    {"Device Type",
     [](value& v, KinetoEvent& e) { e.device_type = Integer(v); }},
    {"correlation",
     [](value& v, KinetoEvent& e) { e.correlation = Unsigned(v); }},
    {"External id",
     [](value& v, KinetoEvent& e) { e.external_id = Unsigned(v); }},
    {"external id",
     [](value& v, KinetoEvent& e) { e.external_id = Unsigned(v); }},
    {"dltap.class", [](value& v, KinetoEvent& e) { e.layer_class = Text(v); }},
    {"dltap.autotune",
     [](value& v, KinetoEvent& e) { e.autotune = Token(v) == "true"; }},
    {"dltap.direction",
     [](value& v, KinetoEvent& e) { e.direction = Text(v); }},
    {"dltap.class_from",
     [](value& v, KinetoEvent& e) { e.class_from = Text(v); }},
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
constexpr KeyTable kArgs(kArgRows);
static_assert(kArgs.is_whole());

// Kineto's names since 2022, those of older versions, and those that it has
// for other makers' GPUs.
constexpr std::pair<std::string_view, KinetoKind> kKindRows[] = {
    {"cpu_op", KinetoKind::kOperator},
    {"python_function", KinetoKind::kPython},
    {"cuda_runtime", KinetoKind::kApi},
    {"kernel", KinetoKind::kKernel},
    {"cuda_driver", KinetoKind::kApi},
    {"user_annotation", KinetoKind::kAnnotation},
    {"gpu_memcpy", KinetoKind::kMemcpy},
    {"gpu_memset", KinetoKind::kMemset},
    {"cuda_sync", KinetoKind::kSync},
    {"hip_runtime", KinetoKind::kApi},
    {"xpu_runtime", KinetoKind::kApi},
    {"xpu_driver", KinetoKind::kApi},
    {"mtia_runtime", KinetoKind::kApi},
    {"concurrent_kernel", KinetoKind::kKernel},
    {"Runtime", KinetoKind::kApi},
    {"Kernel", KinetoKind::kKernel},
    {"Memcpy", KinetoKind::kMemcpy},
    {"Memset", KinetoKind::kMemset},
    {"Operator", KinetoKind::kOperator},
    {"operator", KinetoKind::kOperator}};
constexpr KeyTable kKinds(kKindRows);
static_assert(kKinds.is_whole());

constexpr std::pair<std::string_view, Reader> kMemberRows[] = {
    {"ph", [](value& v, KinetoEvent& e) { e.phase = Text(v); }},
    {"ts", [](value& v,
              KinetoEvent& e) { e.begin_ns = ParseMicroseconds(Token(v)); }},
    {"cat",
     [](value& v, KinetoEvent& e) {
       e.category = Text(v);
       const KinetoKind* kind = kKinds.Find(e.category);
       e.kind = kind == nullptr ? KinetoKind::kOther : *kind;
     }},
    {"pid", [](value& v, KinetoEvent& e) { e.pid = Token(v); }},
    {"tid", [](value& v, KinetoEvent& e) { e.tid = Token(v); }},
    {"dur",
     [](value& v, KinetoEvent& e) {
       e.duration_ns = ParseMicroseconds(Token(v));
     }},
    {"name", [](value& v, KinetoEvent& e) { e.name = Text(v); }},
};
constexpr KeyTable kMembers(kMemberRows);
static_assert(kMembers.is_whole());

void ReadArgs(value& args, KinetoEvent& event) {
  object fields;
  if (args.get_object().get(fields) != simdjson::SUCCESS) return;
  for (auto element : fields) {
    if (element.error() != simdjson::SUCCESS) return;
    simdjson::ondemand::field& field = element.value_unsafe();
    const Reader* read = kArgs.Find(Key(field));
    if (read != nullptr) (*read)(field.value(), event);
  }
}

// Exponents: old profilers wrote large times through a float.
std::optional<int64_t> ParseExponent(std::string_view token) {
  if (token.find_first_of("eE") == std::string_view::npos) return std::nullopt;
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
  const bool negative = token.starts_with('-');
  const char* c = token.data() + negative;
  const char* end = token.data() + token.size();
  const char* first = c;
  int64_t us = 0;
  for (; c != end && IsDigit(*c) && us <= kMaxMicroseconds; ++c) {
    us = us * 10 + (*c - '0');
  }
  bool is_plain = c != first && us <= kMaxMicroseconds;
  int64_t fraction = 0;
  if (c != end && *c == '.') {
    for (int64_t scale = 100; ++c != end && IsDigit(*c); scale /= 10) {
      fraction += (*c - '0') * scale;
    }
  }
  is_plain &= c == end;
  if (!is_plain) return ParseExponent(token);
  const int64_t ns = us * 1000 + fraction;
  return negative ? -ns : ns;
}

bool ReadKinetoEvent(value v, KinetoEvent& event, WantsArgs wants) {
  object fields;
  if (v.get_object().get(fields) != simdjson::SUCCESS) return false;
  for (auto element : fields) {
    if (element.error() != simdjson::SUCCESS) return false;
    simdjson::ondemand::field& field = element.value_unsafe();
    const std::string_view key = Key(field);
    if (const Reader* read = kMembers.Find(key)) {
      (*read)(field.value(), event);
    } else if (key == "args" &&
               (wants == nullptr || event.phase.empty() ||
                event.category.empty() || wants(event.phase, event.kind))) {
      // Members come in any order: what is not said yet may want them.
      ReadArgs(field.value(), event);
    }
  }
  return true;
}

}  // namespace dltap::analyzer
