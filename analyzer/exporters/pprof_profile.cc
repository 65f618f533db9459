// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/pprof_profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/exporters/pprof.pb.h"
#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

// What tells one stack from another: numbers of texts, and a place.
struct StackKey {
  size_t process;
  uint32_t stream;
  uint64_t layer_class;  // locations
  uint64_t api;          // 0: the call is not known
  uint64_t kernel;

  auto operator<=>(const StackKey&) const = default;
};

struct StackSums {
  int64_t launches = 0;
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
};

class ProfileWriter {
 public:
  explicit ProfileWriter(const ExportInput& input) : input_(input) {
    TextOf("");  // string_table[0]
  }

  void Run(const ByteSink& sink) {
    AddTypes();
    for (size_t p = 0; p < input_.model.processes.size(); ++p) AddProcess(p);
    for (const auto& [key, sums] : stacks_) AddSample(key, sums);
    profile_.set_duration_nanos(end_ns_ - begin_ns_);
    sink(profile_.SerializeAsString());
  }

 private:
  int64_t TextOf(std::string_view text) {
    const auto [it, is_new] = texts_.try_emplace(
        ValidUtf8(text), static_cast<int64_t>(texts_.size()));
    if (is_new) profile_.add_string_table(it->first);
    return it->second;
  }

  // A function with one place in it.
  uint64_t LocationOf(std::string_view name) {
    const int64_t text = TextOf(name);
    const auto [it, is_new] =
        locations_.try_emplace(text, locations_.size() + 1);
    if (is_new) {
      pprof::Function* const function = profile_.add_function();
      function->set_id(it->second);
      function->set_name(text);
      function->set_system_name(text);
      pprof::Location* const location = profile_.add_location();
      location->set_id(it->second);
      location->add_line()->set_function_id(it->second);
    }
    return it->second;
  }

  void AddTypes() {
    const auto add = [this](std::string_view type, std::string_view unit) {
      pprof::ValueType* const value = profile_.add_sample_type();
      value->set_type(TextOf(type));
      value->set_unit(TextOf(unit));
    };
    add("launches", "count");
    add("cpu", "nanoseconds");
    add("gpu", "nanoseconds");
    profile_.set_default_sample_type(TextOf("gpu"));
    if (input_.model.simulated) profile_.add_comment(TextOf("simulated GPU"));
  }

  void AddProcess(size_t p) {
    const Process& process = input_.model.processes[p];
    const ProcessAttribution& attribution = input_.attribution.processes[p];
    absl::flat_hash_set<size_t> counted;  // calls
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const Activity& activity = process.activities[i];
      if (!input_.Wants(process, activity)) continue;
      const Attributed& attributed = attribution.activities[i];
      const CallId call = attributed.submitted_by;
      StackSums& sums = stacks_[KeyOf(p, activity, attributed)];
      ++sums.launches;
      sums.gpu_ns += activity.end_ns - activity.begin_ns;
      // A call counts once, at the first of its work.
      if (call.known() && counted.insert(call.value()).second) {
        const Call& of = process.calls[call.value()];
        sums.cpu_ns += of.end_ns - of.begin_ns;
      }
      begin_ns_ = is_first_ ? activity.begin_ns
                            : std::min(begin_ns_, activity.begin_ns);
      end_ns_ = std::max(end_ns_, activity.end_ns);
      is_first_ = false;
    }
  }

  StackKey KeyOf(size_t p, const Activity& activity,
                 const Attributed& attributed) {
    const Process& process = input_.model.processes[p];
    StackKey key{p, static_cast<uint32_t>(activity.stream.value()), 0, 0, 0};
    key.layer_class = LocationOf(analyzer::Name(attributed.layer_class));
    if (attributed.submitted_by.known()) {
      const Call& call = process.calls[attributed.submitted_by.value()];
      key.api =
          LocationOf(ApiName(input_.model.entry_points[call.entry.value()]));
    }
    const auto name = std::tuple(activity.kind, activity.name, activity.copy,
                                 activity.source, activity.target);
    const auto [it, is_new] = kernels_.try_emplace(name);
    if (is_new) it->second = LocationOf(ActivityName(input_.model, activity));
    key.kernel = it->second;
    return key;
  }

  void AddSample(const StackKey& key, const StackSums& sums) {
    const Process& process = input_.model.processes[key.process];
    pprof::Sample* const sample = profile_.add_sample();
    // The leaf first.
    sample->add_location_id(key.kernel);
    if (key.api != 0) sample->add_location_id(key.api);
    sample->add_location_id(key.layer_class);
    sample->add_location_id(
        LocationOf(process.program.empty() ? "program" : process.program));
    sample->add_value(sums.launches);
    sample->add_value(sums.cpu_ns);
    sample->add_value(sums.gpu_ns);
    const auto label = [&](std::string_view name, int64_t value) {
      pprof::Label* const of = sample->add_label();
      of->set_key(TextOf(name));
      of->set_num(value);
    };
    const Stream& stream = process.streams[key.stream];
    if (process.rank) label("rank", *process.rank);
    label("device", process.devices[stream.device.value()].ordinal);
    label("stream", static_cast<int64_t>(stream.number));
  }

  using KernelKey =
      std::tuple<ActivityKind, TextId, CopyKind, MemoryKind, MemoryKind>;

  const ExportInput& input_;
  pprof::Profile profile_;
  absl::flat_hash_map<std::string, int64_t> texts_;
  absl::flat_hash_map<int64_t, uint64_t> locations_;  // by text
  std::map<KernelKey, uint64_t> kernels_;             // locations
  std::map<StackKey, StackSums> stacks_;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  bool is_first_ = true;
};

}  // namespace

void WritePprof(const ExportInput& input, const ByteSink& sink) {
  ProfileWriter(input).Run(sink);
}

}  // namespace dltap::analyzer
