// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_NAMES_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_NAMES_H_

#include <string>
#include <string_view>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What a layer does, from its first activity: "conv 3x32x32 -> 16x16x16 k3",
// "gemm 4096x1024x1024"; without sizes the operator or the kernel. The number
// of samples is not in it.
std::string LayerOperation(const TraceModel& model, const Process& process,
                           const ProcessAttribution& attribution, size_t lead);

// What a layer of this operation multiplies its input with, whatever the batch,
// the size of images and the precision: "gemm 4096x1024x1024 bf16" -> "gemm
// 1024x1024" (outputs, inputs), "conv 3x32x32 -> 16x16x16 k3" -> "conv 3 -> 16
// k3". Empty: not known, as of products of activations.
std::string WeightsOf(std::string_view operation);

// "nn.Module: Linear_3" -> "Linear_3".
std::string ModuleName(std::string_view range);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_NAMES_H_
