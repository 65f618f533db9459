// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/quantities.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr double kMsPerNs = 1e-6;

constexpr QuantityRow kTable[] = {
    {"step_ms", Unit::kMs, false, true,
     "mean step; without steps, the devices' time over the run"},
    {"gpu_ms", Unit::kMs, false, true, "time of kernels and copies, summed up"},
    {"idle_ms", Unit::kMs, false, true, "time in which the GPU has no work"},
    {"launches", Unit::kCount, false, true,
     "kernel launches; a CUDA graph that runs is one"},
    {"kernels", Unit::kCount, false, true, "kernels that ran"},
    {"copies", Unit::kCount, false, true, "copies of memory"},
    {"copied_bytes", Unit::kBytes, false, true, "bytes of these copies"},
    {"syncs", Unit::kCount, false, true, "calls that wait for the device"},
    {"mallocs", Unit::kCount, false, true, "allocations of device memory"},
    {"peak_memory", Unit::kBytes, false, true,
     "device memory held at most, of one device"},
    {"peak_tensors", Unit::kBytes, false, true,
     "of it in tensors, where an allocator recorded that"},
    {"utilization", Unit::kShare, true, false, "share of time that computes"},
    {"cpu_dependency", Unit::kShare, true, false,
     "share of time lost to the host"},
    {"trust.classified", Unit::kShare, true, false,
     "share of GPU time whose class is known"},
    {"trust.flops_known", Unit::kShare, true, false,
     "share of GPU time whose FLOPs are known"},
    {"trust.lost", Unit::kCount, true, false, "records lost"},
    {"class.CLASS.gpu_ms", Unit::kMs, false, true,
     "GPU time of a class: class.attention.gpu_ms"},
    {"class.CLASS.forward_ms", Unit::kMs, false, true, "its forward pass"},
    {"class.CLASS.backward_ms", Unit::kMs, false, true,
     "its backward pass, recomputing too"},
    {"class.CLASS.update_ms", Unit::kMs, false, true, "its part of the update"},
    {"class.CLASS.kernels", Unit::kCount, false, true,
     "its kernels, or its copies"},
    {"class.CLASS.calls", Unit::kCount, false, true, "its library calls"},
    {"class.CLASS.idle_ms", Unit::kMs, false, false,
     "idle time before its kernels"},
    {"phase.PHASE_ms", Unit::kMs, false, false,
     "a phase of the step: phase.backward_ms"},
    {"idle.CAUSE_ms", Unit::kMs, false, false,
     "idle time by cause: idle.wait_ms"},
    {"api.FUNCTION.calls", Unit::kCount, false, false,
     "outermost calls: api.cudaMalloc.calls"},
    {"api.FUNCTION.cpu_ms", Unit::kMs, false, false, "their CPU time"},
};

const QuantityRow* RowNamed(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kTable), std::end(kTable),
                   [&](const QuantityRow& each) { return each.name == name; });
  return row == std::end(kTable) ? nullptr : row;
}

// The name of a pattern with the placeholder filled in.
std::string Filled(std::string_view pattern, std::string_view placeholder,
                   std::string_view with) {
  std::string name(pattern);
  return name.replace(name.find(placeholder), placeholder.size(), with);
}

class Collector {
 public:
  explicit Collector(const Side& side)
      : side_(side), figures_(*side.figures), summary_(*side.summary) {}

  Quantities Run() {
    AddTimes();
    AddCounts();
    AddMemory();
    AddShares();
    for (size_t c = 0; c < kClassCount; ++c) {
      AddClass(static_cast<LayerClass>(c));
    }
    AddPhases();
    AddIdle();
    AddApis();
    return std::move(out_);
  }

 private:
  void Add(std::string_view name, Measured value) {
    out_[std::string(name)] = {RowNamed(name), std::move(value)};
  }
  void Add(std::string_view pattern, std::string_view placeholder,
           std::string_view with, Measured value) {
    out_[Filled(pattern, placeholder, with)] = {RowNamed(pattern),
                                                std::move(value)};
  }
  Measured Mean(uint64_t count) const {
    if (summary_.devices.empty() && count == 0) return {};
    return {static_cast<double>(count) / figures_.totals.per_step()};
  }
  Measured Series(SeriesKind kind) const {
    return PerStep(side_, kMsPerNs,
                   [kind](const SeriesKey& key) { return key.kind == kind; });
  }
  Measured Series(SeriesKind kind, size_t index) const {
    return PerStep(side_, kMsPerNs, [=](const SeriesKey& key) {
      return key.kind == kind && key.index == index;
    });
  }

  void AddTimes() {
    Add("step_ms", StepLength(side_, kMsPerNs));
    Add("gpu_ms", Series(SeriesKind::kKernels));
    Add("idle_ms", Series(SeriesKind::kIdle));
  }

  void AddCounts() {
    WorkCounts counts;
    for (const DeviceSummary& device : summary_.devices) {
      counts.Add(device.counts);
    }
    Add("launches", Mean(counts.launches));
    Add("kernels", Mean(counts.kernels));
    Add("copies", Mean(counts.copies));
    Add("copied_bytes", Mean(counts.copied_bytes));
    Add("syncs", Mean(CallsThat([](const specs::EntryPointInfo& info) {
          const bool copies = info.kind == specs::Kind::kMemcpy;
          return info.kind == specs::Kind::kSync || (copies && info.blocking);
        })));
    Add("mallocs", Mean(CallsThat([](const specs::EntryPointInfo& info) {
          return info.kind == specs::Kind::kMalloc;
        })));
  }

  template <typename Wanted>
  uint64_t CallsThat(Wanted wanted) const {
    uint64_t calls = 0;
    for (const ApiRow& row : figures_.apis) {
      const specs::EntryPointInfo* info = specs::FindEntryPoint(row.name);
      if (info != nullptr && wanted(*info)) calls += row.sums.calls;
    }
    return calls;
  }

  // Where addresses are left out, nothing tells when memory was given back.
  void AddMemory() {
    Measured held;
    Measured tensors;
    const bool known =
        !summary_.in_slices && summary_.memory.without_addresses == 0;
    for (const DeviceMemory& device : summary_.memory.devices) {
      const auto peak = static_cast<double>(device.held.peak_bytes);
      if (known && peak > 0)
        held.value = std::max(held.value.value_or(0), peak);
      if (!device.tensors) continue;
      const auto most = static_cast<double>(device.tensors->peak_bytes);
      tensors.value = std::max(tensors.value.value_or(0), most);
    }
    Add("peak_memory", held);
    Add("peak_tensors", tensors);
  }

  void AddShares() {
    Add("utilization", {figures_.program.utilization});
    Add("cpu_dependency", {figures_.program.cpu_dependency});
    Add("trust.classified", {figures_.trust.classified_share});
    Add("trust.flops_known", {figures_.trust.flops_known_share});
    Add("trust.lost", {static_cast<double>(figures_.trust.lost_records)});
  }

  void AddClass(LayerClass layer_class) {
    const auto index = static_cast<size_t>(layer_class);
    const ClassSummary& sums = figures_.totals.classes[index];
    const auto add = [&](std::string_view pattern, Measured value) {
      Add(pattern, "CLASS", Name(layer_class), std::move(value));
    };
    const auto pass = [&](Pass wanted) {
      return PerStep(side_, kMsPerNs, [=](const SeriesKey& key) {
        return key.kind == SeriesKind::kKernels && key.index == index &&
               key.pass == wanted;
      });
    };
    add("class.CLASS.gpu_ms", Series(SeriesKind::kKernels, index));
    add("class.CLASS.forward_ms", pass(Pass::kForward));
    add("class.CLASS.backward_ms", pass(Pass::kBackward));
    add("class.CLASS.update_ms", pass(Pass::kUpdate));
    add("class.CLASS.kernels", Mean(sums.kernels));
    add("class.CLASS.calls", Mean(sums.calls));
    Measured idle = Mean(0);
    if (idle.value) {
      idle.value = static_cast<double>(SumOf(sums.idle_ns)) /
                   figures_.totals.per_step() * kMsPerNs;
    }
    add("class.CLASS.idle_ms", idle);
  }

  void AddPhases() {
    for (size_t i = 0; i < kPhaseCount; ++i) {
      Add("phase.PHASE_ms", "PHASE", Name(static_cast<Phase>(i)),
          Series(SeriesKind::kPhase, i));
    }
  }

  void AddIdle() {
    for (size_t i = 0; i < kIdleCauses; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      Measured idle = Series(SeriesKind::kIdle, i);
      if (idle.value == 0 && !IsSeen(cause)) idle = {};
      Add("idle.CAUSE_ms", "CAUSE", Name(cause), idle);
    }
  }

  // Other tools' traces lack CPU samples, and our own cost.
  bool IsSeen(IdleCause cause) const {
    return cause == IdleCause::kWait || cause == IdleCause::kInput ||
           cause == IdleCause::kLibrary || cause == IdleCause::kLaunch ||
           !IsHostCause(cause) || cause == IdleCause::kUnknown ||
           summary_.formats.contains(SourceFormat::kDltap);
  }

  void AddApis() {
    for (const ApiRow& row : figures_.apis) {
      Add("api.FUNCTION.calls", "FUNCTION", row.name, Mean(row.sums.calls));
      Measured cpu = Mean(1);
      *cpu.value *= static_cast<double>(row.sums.cpu_ns) * kMsPerNs;
      Add("api.FUNCTION.cpu_ms", "FUNCTION", row.name, cpu);
    }
  }

  const Side& side_;
  const Figures& figures_;
  const Summary& summary_;
  Quantities out_;
};

// Of a run in which nothing happened: all but those of functions.
const Quantities& Known() {
  static const Quantities known = [] {
    const Summary summary;
    const Figures figures = FiguresOf(summary);
    return QuantitiesOf({&summary, &figures});
  }();
  return known;
}

}  // namespace

std::string_view Name(Unit unit) {
  constexpr std::string_view kNames[] = {"ms", "count", "bytes", "share"};
  return kNames[static_cast<size_t>(unit)];
}

std::span<const QuantityRow> QuantityTable() { return kTable; }

Quantities QuantitiesOf(const Side& side) { return Collector(side).Run(); }

const QuantityRow* FindQuantity(std::string_view name) {
  if (const auto at = Known().find(std::string(name)); at != Known().end()) {
    return at->second.row;
  }
  constexpr std::string_view kApi = "api.";
  const size_t dot = name.rfind('.');
  if (!name.starts_with(kApi) || dot < kApi.size()) return nullptr;
  const std::string_view function = name.substr(kApi.size(), dot - kApi.size());
  if (specs::FindEntryPoint(function) == nullptr) return nullptr;
  return RowNamed("api.FUNCTION" + std::string(name.substr(dot)));
}

std::vector<std::string> QuantityNames() {
  std::vector<std::string> names;
  for (const auto& [name, quantity] : Known()) names.push_back(name);
  return names;
}

}  // namespace dltap::analyzer
