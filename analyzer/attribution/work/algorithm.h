// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_WORK_ALGORITHM_H_
#define DLTAP_ANALYZER_ATTRIBUTION_WORK_ALGORITHM_H_

#include <optional>
#include <string_view>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What the name of a library's kernel says of how it multiplies.
struct KernelAlgorithm {
  enum class Kind : uint8_t {
    kNotTold,      // as the definition does, as far as one knows
    kWinograd2x2,  // F(2x2, 3x3): 16 multiplications for 36
    kWinograd4x4,  // F(4x4, 3x3): 36 multiplications for 144
    kUncounted,    // FFT, Winograd of other tiles
  };
  Kind kind = Kind::kNotTold;
  // Of products of FP32 tensors; nullopt: the name does not tell.
  std::optional<opmodel::DType> math;

  bool operator==(const KernelAlgorithm&) const = default;
};

KernelAlgorithm AlgorithmOf(std::string_view kernel_name);

// Corrects what the calls could not know: the FLOPs that were executed, and
// the arithmetic of FP32 convolutions and recurrent layers. cuDNN may use TF32
// for these; that it did, only its kernels tell.
void AddAlgorithms(const TraceModel& model, const Process& process,
                   ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_WORK_ALGORITHM_H_
