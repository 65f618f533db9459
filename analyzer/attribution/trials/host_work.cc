// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/trials/host_work.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr uint64_t kClearsACache = 1 << 20;  // bytes
constexpr uint64_t kBytesOfThread = 16;  // that it fills at most, by vectors
constexpr size_t kNone = std::numeric_limits<size_t>::max();

bool ContainsAny(std::string_view text,
                 std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  return hash * 0xBF58476D1CE4E5B9;
}

// What kernel names say, worked out once each.
struct NameFacts {
  bool fills;
  bool draws;
  bool checks_trial;
};

class Collector {
 public:
  Collector(const TraceModel& model, const Process& process,
            const ProcessAttribution& attribution)
      : model_(model),
        process_(process),
        attribution_(attribution),
        facts_(model.texts.size()) {
    for (const EntryPoint& entry : model.entry_points) {
      plan_args_.push_back(PlanArgOf(entry));
    }
    for (const LaunchShape& shape : process.launch_shapes) {
      shapes_.push_back(HashOf(shape));
    }
  }

  std::vector<std::vector<HostWork>> Run() {
    by_call_.assign(process_.calls.size(), kNone);
    AddSubmissions();
    std::vector<std::vector<HostWork>> by_thread(process_.threads.size());
    for (size_t c = 0; c < process_.calls.size(); ++c) {
      const Call& call = process_.calls[c];
      if (!call.thread.known()) continue;
      std::vector<HostWork>& of_thread = by_thread[call.thread.value()];
      if (by_call_[c] != kNone) {
        of_thread.push_back(works_[by_call_[c]]);
      } else if (IsEventRecord(call)) {
        of_thread.push_back({.call = c, .records_event = true});
      }
    }
    return by_thread;
  }

 private:
  bool IsEventRecord(const Call& call) const {
    const auto* info = model_.entry_points[call.entry.value()].info;
    return info != nullptr && info->kind == specs::Kind::kEventRecord;
  }

  static size_t PlanArgOf(const EntryPoint& entry) {
    if (entry.symbol != "cudnnBackendExecute") return kNone;
    for (size_t i = 0; i < entry.args.size(); ++i) {
      if (entry.args[i].name == "executionPlan") return i;
    }
    return kNone;
  }

  uint64_t PlanOf(CallId id) const {
    const Call& call = process_.calls[id.value()];
    const size_t arg = plan_args_[call.entry.value()];
    if (arg == kNone) return 0;
    const EntryPoint& entry = model_.entry_points[call.entry.value()];
    return static_cast<uint64_t>(
        IntArg(entry, process_, call, arg).value_or(0));
  }

  void AddSubmissions() {
    works_.reserve(process_.activities.size());
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Attributed& attributed = attribution_.activities[i];
      if (!attributed.submitted_by.known()) continue;
      size_t& at = by_call_[attributed.submitted_by.value()];
      if (at == kNone) {
        at = works_.size();
        works_.push_back({.call = attributed.submitted_by.value()});
        works_.back().work = attributed.work;
        works_.back().ruling = attributed.ruling;
        works_.back().plan = PlanOf(attributed.submitted_by);
      }
      Add(process_.activities[i], works_[at]);
    }
  }

  void Add(const Activity& activity, HostWork& work) {
    work.replays_graph |= activity.graph_node != 0 || activity.graph != 0;
    work.is_copy |= activity.kind == ActivityKind::kMemcpy;
    if (activity.kind == ActivityKind::kKernel) {
      const NameFacts facts = FactsOf(activity.name);
      work.is_fill |= facts.fills;
      work.clears_cache |= facts.fills && MayClearACache(activity);
      work.draws |= facts.draws;
      work.checks_trial |= facts.checks_trial;
      work.exact = Mix(work.exact, activity.name.value());
      if (activity.shape < shapes_.size()) {
        work.exact = Mix(work.exact, shapes_[activity.shape]);
      }
    } else {
      work.clears_cache |= activity.kind == ActivityKind::kMemset &&
                           activity.bytes >= kClearsACache;
      work.is_fill |= work.clears_cache;
      work.exact = Mix(work.exact, activity.bytes);
    }
  }

  // A kernel that fills; its grid bounds what it writes.
  bool MayClearACache(const Activity& activity) const {
    if (activity.shape >= process_.launch_shapes.size()) return true;
    const LaunchShape& shape = process_.launch_shapes[activity.shape];
    uint64_t bytes = kBytesOfThread;
    for (size_t i = 0; i < shape.grid.size(); ++i) {
      bytes *= uint64_t{shape.grid[i]} * shape.block[i];
    }
    return bytes >= kClearsACache;
  }

  static uint64_t HashOf(const LaunchShape& shape) {
    uint64_t hash = 0;
    for (size_t i = 0; i < shape.grid.size(); ++i) {
      hash = Mix(Mix(hash, shape.grid[i]), shape.block[i]);
    }
    return Mix(hash, shape.dynamic_shared_bytes);
  }

  NameFacts FactsOf(TextId name) {
    if (!name.known()) return {};
    std::optional<NameFacts>& facts = facts_[name.value()];
    if (!facts) {
      const std::string_view text = model_.texts[name];
      facts = NameFacts{
          ContainsAny(text, {"FillFunctor", "fill_kernel", "_fill_"}),
          ContainsAny(text, {"distribution_", "random_from_to", "philox",
                             "curand", "generate_seed"}),
          ContainsAny(text, {"RedzoneAllocatorKernel", "redzone_checker",
                             "RepeatBufferKernel", "DelayKernel",
                             "delay_kernel", "xla_fp_comparison",
                             "xla_int_comparison", "buffer_comparator"})};
    }
    return *facts;
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  std::vector<size_t> by_call_;  // into works_
  std::vector<HostWork> works_;
  std::vector<size_t> plan_args_;                // by entry point; kNone
  std::vector<std::optional<NameFacts>> facts_;  // by name
  std::vector<uint64_t> shapes_;                 // hashes
};

}  // namespace

std::vector<std::vector<HostWork>> HostWorkByThread(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution) {
  return Collector(model, process, attribution).Run();
}

}  // namespace dltap::analyzer
