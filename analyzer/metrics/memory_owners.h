// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_OWNERS_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_OWNERS_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/memory_blocks.h"
#include "analyzer/metrics/step.h"
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

// A tensor, or a part of one, while it holds something.
struct OwnedRange {
  uint64_t address;
  int64_t bytes;
  int64_t begin_ns;
  int64_t end_ns;
  MemoryOwner owner;
  DeviceId device;
};

// Who owns how much at one instant.
struct MemoryShares {
  int64_t at_ns = 0;
  OwnedBytes bytes{};

  auto operator<=>(const MemoryShares&) const = default;
};

// At the first of the instants at which the ranges of `device` cover most.
// Bytes that several ranges cover count once. kUnknown stays 0.
MemoryShares SharesAtPeak(const std::vector<OwnedRange>& ranges,
                          DeviceId device);

// At `at_ns`.
MemoryShares SharesAt(const std::vector<OwnedRange>& ranges, DeviceId device,
                      int64_t at_ns);

// The operands of library calls, by what forward and backward calls do with
// them in the used steps.
std::vector<OwnedRange> OperandOwners(const TraceModel& model,
                                      const Process& process,
                                      const ProcessAttribution& attribution,
                                      const Steps& steps);

// Tensors of an imported trace, by the operators that took them and by what
// they outlive. Those of unknown owner are among them.
std::vector<OwnedRange> TensorOwners(const TraceModel& model,
                                     const Process& process, const Steps& steps,
                                     const std::vector<MemoryBlock>& tensors);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_OWNERS_H_
