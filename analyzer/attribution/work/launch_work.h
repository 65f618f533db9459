// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_WORK_LAUNCH_WORK_H_
#define DLTAP_ANALYZER_ATTRIBUTION_WORK_LAUNCH_WORK_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The rows of launch_rules.toml; what the words mean is said there.
struct Factor {
  enum class Kind : uint8_t {
    kThreads,
    kRows,
    kArgument,
    kPower,
    kPair,
    kTorch,
    kUnrolled
  };
  Kind kind;
  int argument;
};

struct TensorOfRule {
  int argument;  // -1: of the type
  opmodel::DType type;
};

struct LaunchRule {
  std::string_view globs;  // joined by '|'
  Factor per_block[4];
  int factors;
  double least;
  int functor;  // -1: none
  bool strided;
  TensorOfRule tensors[4];  // the result last
  int n_tensors;
  double flops;
  std::string_view example;
};

struct FunctorRule {
  std::string_view globs;
  double flops;
  opmodel::DType writes;  // kUnknown: as the inputs
  int tensors;            // 0: the launch tells
};

std::span<const LaunchRule> LaunchRules();

// The rule for a demangled kernel name; null: none.
const LaunchRule* MatchLaunch(std::string_view demangled);

// How many elements a thread of PyTorch's vectorized kernels handles: always
// four until 2.6; since 2.8 more, by the types. (2.7 is not known.)
enum class TorchTiles : uint8_t { kUnknown, kFour, kMore };

// What the name and the grid of a kernel that a framework launched by itself
// tell of its work.
std::optional<LaunchWork> WorkOfLaunch(std::string_view demangled,
                                       const LaunchShape& shape,
                                       TorchTiles tiles);

// By PyTorch's version; by CUDA's, of which 13 needs a newer PyTorch; by a
// kernel of the process that takes eight elements at once.
TorchTiles TilesOf(const TraceModel& model, const Process& process);

// Fills attribution.launch_works for what has no work of its own.
void AddLaunchWorks(const TraceModel& model, const Process& process,
                    ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_WORK_LAUNCH_WORK_H_
