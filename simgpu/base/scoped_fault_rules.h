// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_SCOPED_FAULT_RULES_H_
#define DLTAP_SIMGPU_BASE_SCOPED_FAULT_RULES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace dltap::simgpu {

enum class ScopedKind : uint8_t { kGpu, kLink, kHost, kDead };

struct RankRange {
  int first = 0;
  int last = std::numeric_limits<int>::max();  // as "*"

  bool Holds(int rank) const { return rank >= first && rank <= last; }
  friend bool operator==(const RankRange&, const RankRange&) = default;
};

// A fault of some ranks, or of the link between two, for a part of the run:
// SUBJECT:RANKS[@FROM-UNTIL]:xSPEED or dead:RANKS@FROM[:hang]. The grammar is
// in simgpu/USING.md.
struct ScopedFault {
  ScopedKind kind = ScopedKind::kGpu;
  RankRange ranks = {};
  RankRange others = {};  // the other ends of a link
  int64_t from_ns = 0;    // since the run began; until_ns is outside
  int64_t until_ns = std::numeric_limits<int64_t>::max();
  double speed = 1;    // 0.5: all takes twice as long
  bool hangs = false;  // a dead rank: it stands still, else it is killed

  bool HoldsAt(int64_t ns) const { return ns >= from_ns && ns < until_ns; }
  friend bool operator==(const ScopedFault&, const ScopedFault&) = default;
};

// Whether the subject of a rule is one of these.
bool IsScopedRule(std::string_view text);

// nullopt: `why` says what is wrong with it.
std::optional<ScopedFault> ParseScopedFault(std::string_view text,
                                            std::string* why);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_SCOPED_FAULT_RULES_H_
