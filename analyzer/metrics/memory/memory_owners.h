// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_OWNERS_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_OWNERS_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/memory/memory_blocks.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What memory is for. Where two claim one byte, the one that stands first.
enum class MemoryOwner : uint8_t {
  kWeights,
  kGradients,    // of weights
  kFeatureMaps,  // what the forward pass keeps for the backward pass
  kWorkspace,    // of library calls
  kComm,         // sent and received
  kDynamic,      // state of the optimizer, and else taken inside of steps
  kUnknown,
  kCount
};
inline constexpr size_t kMemoryOwners =
    static_cast<size_t>(MemoryOwner::kCount);
std::string_view Name(MemoryOwner owner);

using OwnedBytes = std::array<int64_t, kMemoryOwners>;

// Who owns how much at one instant.
struct MemoryShares {
  int64_t at_ns = 0;
  OwnedBytes bytes{};

  auto operator<=>(const MemoryShares&) const = default;
};

// A tensor, or a part of one, while it holds something.
struct OwnedRange {
  uint64_t address;  // 0: not known where
  int64_t bytes;
  int64_t begin_ns;
  int64_t end_ns;
  MemoryOwner owner;
  DeviceId device;
};

// Bytes that several of the ranges cover count once, those that no block
// covers do not count; no blocks: all do. kUnknown stays 0.
OwnedBytes SharesOf(const std::vector<OwnedRange>& ranges,
                    const std::vector<MemoryBlock>& blocks);

// Those of `device` that hold something at `at_ns`.
std::vector<OwnedRange> RangesAt(const std::vector<OwnedRange>& ranges,
                                 DeviceId device, int64_t at_ns);

// What library calls work on, at each of `instants`, which are sorted: by what
// the calls around it do with them, and by which of them stay in the used
// steps. `blocks` are those of the device, all of them, by begin.
std::vector<std::vector<OwnedRange>> OperandOwners(
    const TraceModel& model, const Process& process,
    const ProcessAttribution& attribution, const Steps& steps, DeviceId device,
    const std::vector<MemoryBlock>& blocks,
    const std::vector<int64_t>& instants);

// Tensors of an imported trace, by the operators that took them and by what
// they outlive. Those of unknown owner are among them.
std::vector<OwnedRange> TensorOwners(const TraceModel& model,
                                     const Process& process, const Steps& steps,
                                     const std::vector<MemoryBlock>& tensors);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_OWNERS_H_
