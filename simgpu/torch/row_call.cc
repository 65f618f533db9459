// SPDX-License-Identifier: Apache-2.0
// Layer norm and softmax kernels of PyTorch as operations of opmodel.
#include <cmath>

#include "opmodel/cost.h"
#include "opmodel/streaming_time.h"
#include "simgpu/torch/launch_readers.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

DType TypeOfSize(double bytes) {
  if (bytes == 8) return DType::kF64;
  if (bytes == 2) return DType::kF16;
  return DType::kF32;
}

LaunchCost RowsCost(const LaunchCostRule& rule, const LaunchView& launch,
                    OpKind kind, int64_t rows, int64_t width) {
  if (rows <= 0 || width <= 0) return {};
  const bool backward =
      kind == OpKind::kNormBackward || kind == OpKind::kSoftmaxBackward;
  opmodel::Operation op;
  op.kind = kind;
  op.storage = op.math = TypeOfSize(rule.element_bytes);
  op[Dim::kRows] = rows;
  op[Dim::kElementsIn] = (backward ? 2 : 1) * rows * width;
  op[Dim::kElementsOut] = rows * width;
  const auto cost = opmodel::CostOf(op);
  if (!cost) return {};
  return {.duration_ns =
              std::llround(opmodel::RowPassTime(op, *cost, launch.gpu).ns)};
}

// Indices are int or int64: the low half will do for either.
int64_t Index(const LaunchView& launch, int argument) {
  return ReadArgument<int32_t>(launch, argument);
}

}  // namespace

// (int width, eps, ...): a block owns a row.
LaunchCost ReadLayerNorm(const LaunchCostRule& rule, const LaunchView& launch) {
  return RowsCost(rule, launch, OpKind::kNormForward, launch.grid.x,
                  Index(launch, 0));
}

// (dY, X, mean, rstd, gamma, dX, int width)
LaunchCost ReadLayerNormGradient(const LaunchCostRule& rule,
                                 const LaunchView& launch) {
  return RowsCost(rule, launch, OpKind::kNormBackward, launch.grid.x,
                  Index(launch, 6));
}

// (output, input, width): a block owns a row.
LaunchCost ReadSoftmaxRows(const LaunchCostRule& rule,
                           const LaunchView& launch) {
  return RowsCost(rule, launch, OpKind::kSoftmaxForward, launch.grid.x,
                  Index(launch, 2));
}

// (gradient of the input, output, gradient of the output, width)
LaunchCost ReadSoftmaxRowsGradient(const LaunchCostRule& rule,
                                   const LaunchView& launch) {
  return RowsCost(rule, launch, OpKind::kSoftmaxBackward, launch.grid.x,
                  Index(launch, 3));
}

// The same with a row kept in shared memory: nothing is read twice.
LaunchCost ReadSoftmaxSharedGradient(const LaunchCostRule& rule,
                                     const LaunchView& launch) {
  const double elements = static_cast<double>(launch.grid.x) *
                          static_cast<double>(Index(launch, 3));
  return {.bytes = 3 * elements * rule.element_bytes};
}

// (output, input, int rows, int stride, int width, ...)
LaunchCost ReadSoftmaxWarp(const LaunchCostRule& rule,
                           const LaunchView& launch) {
  return RowsCost(rule, launch, OpKind::kSoftmaxForward, Index(launch, 2),
                  Index(launch, 4));
}

// (gradient of the input, gradient, output, int rows, int stride, int width)
LaunchCost ReadSoftmaxWarpGradient(const LaunchCostRule& rule,
                                   const LaunchView& launch) {
  return RowsCost(rule, launch, OpKind::kSoftmaxBackward, Index(launch, 3),
                  Index(launch, 5));
}

}  // namespace dltap::simgpu
