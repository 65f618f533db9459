// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/plan_json.h"

#include <cudnn.h>

#include <charconv>

#include "simgpu/cudnn/version.h"

namespace dltap::simgpu {
namespace {

// Walks along a text whose shape is known; the first thing that is not as
// expected ends it.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  bool NextIs(std::string_view literal) const {
    return ok_ && rest_.starts_with(literal);
  }

  Reader& Literal(std::string_view literal) {
    ok_ = NextIs(literal);
    if (ok_) rest_.remove_prefix(literal.size());
    return *this;
  }

  template <typename Number>
  Reader& Value(Number& number) {
    if (!ok_) return *this;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, error] = std::from_chars(rest_.data(), end, number);
    ok_ = error == std::errc();
    if (ok_) rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
    return *this;
  }

  // Up to the quote, which stays.
  Reader& Text(std::string& text) {
    const size_t quote = rest_.find('"');
    ok_ = ok_ && quote != std::string_view::npos;
    if (!ok_) return *this;
    text = rest_.substr(0, quote);
    rest_.remove_prefix(quote);
    return *this;
  }

  Reader& Extent(Dim3& extent) {
    return Literal("[")
        .Value(extent.x)
        .Literal(",")
        .Value(extent.y)
        .Literal(",")
        .Value(extent.z)
        .Literal("]");
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::string ToJson(const Dim3& extent) {
  return "[" + std::to_string(extent.x) + "," + std::to_string(extent.y) + "," +
         std::to_string(extent.z) + "]";
}

std::string Header() {
  return "{\"cudnn_version\":" + std::to_string(SimulatedCudnn().number()) +
         ",\"simulated\":true,\"engine\":{\"index\":";
}

std::string ToJson(const LibraryKernel& kernel) {
  return "{\"name\":\"" + std::string(kernel.name) +
         "\",\"grid\":" + ToJson(kernel.grid) +
         ",\"block\":" + ToJson(kernel.block) +
         ",\"shared\":" + std::to_string(kernel.dynamic_shared_bytes) +
         ",\"registers\":" + std::to_string(kernel.registers_per_thread) +
         ",\"ns\":" + std::to_string(kernel.duration_ns) + "}";
}

LibraryKernel ReadKernel(Reader& reader) {
  LibraryKernel kernel{.name = ""};
  std::string name;
  reader.Literal("{\"name\":\"")
      .Text(name)
      .Literal("\",\"grid\":")
      .Extent(kernel.grid)
      .Literal(",\"block\":")
      .Extent(kernel.block)
      .Literal(",\"shared\":")
      .Value(kernel.dynamic_shared_bytes)
      .Literal(",\"registers\":")
      .Value(kernel.registers_per_thread)
      .Literal(",\"ns\":")
      .Value(kernel.duration_ns)
      .Literal("}");
  kernel.name = InternName(name.c_str());
  return kernel;
}

}  // namespace

std::string ToJson(const SavedPlan& plan) {
  std::string json =
      Header() + std::to_string(plan.engine_index) + ",\"name\":\"" +
      plan.engine_name +
      "\"},\"workspace_size\":" + std::to_string(plan.workspace_bytes) +
      ",\"kernels\":[";
  for (const LibraryKernel& kernel : plan.kernels) {
    if (json.back() == '}') json += ",";
    json += ToJson(kernel);
  }
  return json + "]}";
}

std::optional<SavedPlan> PlanFromJson(std::string_view json) {
  SavedPlan plan;
  Reader reader(json);
  reader.Literal(Header())
      .Value(plan.engine_index)
      .Literal(",\"name\":\"")
      .Text(plan.engine_name)
      .Literal("\"},\"workspace_size\":")
      .Value(plan.workspace_bytes)
      .Literal(",\"kernels\":[");
  while (reader.NextIs("{")) {
    plan.kernels.push_back(ReadKernel(reader));
    if (reader.NextIs(",")) reader.Literal(",");
  }
  if (!reader.Literal("]}").at_end()) return std::nullopt;
  return plan;
}

}  // namespace dltap::simgpu
