// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/decoder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "opmodel/device_time.h"
#include "opmodel/streaming_time.h"
#include "simgpu/torch/families.h"

namespace dltap::simgpu {
namespace {

// Of the kernels that a decoder is asked for; it may still refuse one.
struct Row {
  std::string_view name_begins;
  Decoder (*decoder)(const NameParts& kernel);
};

// The first row that fits counts.
constexpr Row kRows[] = {
    {"elementwise_kernel_with_index", RangeDecoder},
    {"elementwise_kernel", ElementwiseDecoder},
    {"vectorized_elementwise_kernel", ElementwiseDecoder},
    {"unrolled_elementwise_kernel", ElementwiseDecoder},
    {"distribution_elementwise_grid_stride_kernel", RandomDecoder},
    {"reduce_kernel", ReduceDecoder},
    {"index_elementwise_kernel", IndexDecoder},
    {"write_indices", IndexDecoder},
    {"calc_block_sums", NonzeroDecoder},
    {"compute_agg", NonzeroDecoder},
    {"flag_kernel", NonzeroDecoder},
    {"write_fill_value", NonzeroDecoder},
    {"vectorized_gather_kernel", GatherDecoder},
    {"_scatter_gather_elementwise_kernel", ScatterDecoder},
    {"indexSelect", SelectDecoder},
    {"indexFunc", SelectDecoder},
    {"bitonicSortKVInPlace", RowSortDecoder},
    {"radixSortKVInPlace", RowSortDecoder},
    {"warpMergeSortKVInPlace", RowSortDecoder},
    {"gatherTopK", RowSortDecoder},
    {"gatherKthValue", RowSortDecoder},
    {"gatherMedian", RowSortDecoder},
    {"tensor_kernel_scan_", ScanDecoder},
    {"searchsorted_cuda_kernel", PlainDecoder},
    {"compute_cuda_kernel", PlainDecoder},
    {"scatter_kernel", PlainDecoder},
    {"adjacent_difference_kernel", PlainDecoder},
    {"indexing_backward_kernel", AccumulateDecoder},
    {"kernelHistogram1D", AccumulateDecoder},
    {"fill_reverse_indices_kernel", PlainDecoder},
    {"randperm_handle_duplicate_keys_kernel", PlainDecoder},
    {"tril_indices_kernel", PlainDecoder},
    {"triu_indices_kernel", PlainDecoder},
    {"roll_cuda_kernel", MoveDecoder},
    {"triu_tril_kernel", MoveDecoder},
    {"multi_tensor_apply_kernel", ForeachDecoder},
    {"vectorized_layer_norm_kernel", RowDecoder},
    {"layer_norm_grad_input_kernel", RowDecoder},
    {"cunn_SoftMaxBackwardSmem", CountedDecoder},
    {"cunn_SoftMax", RowDecoder},
    {"softmax_warp_", RowDecoder},
    {"GammaBetaBackwardCUDAKernelTemplate", CountedDecoder},
    {"embedding_backward_feature_kernel", CountedDecoder},
    {"fused_dropout_kernel", CountedDecoder},
    {"RowwiseMomentsCUDAKernel", CountedDecoder},
    {"ComputeInternalGradientsCUDAKernel", CountedDecoder},
    {"conv_depthwise2d_", DepthwiseDecoder},
    {"max_pool_", PoolDecoder},
    {"avg_pool2d_", PoolDecoder},
    {"upsample_nearest2d_", PoolDecoder},
    {"reflection_pad2d_out_kernel", CountedDecoder},
    {"flash_", AttentionDecoder},
    {"fmha_cutlass", AttentionDecoder},
    {"CatArrayBatchedCopy", ConcatDecoder},
    {"concat_fixed_kernel", ConcatDecoder},
    {"concat_variable_kernel", ConcatDecoder},
    {"amp_update_scale_cuda_kernel", ScaleDecoder},
    {"mxnet_generic_kernel", MxnetDecoder},
    {"MapPlanKernel", MxnetDecoder},
    {"softmax_stride1_", MxnetDecoder},
    {"add_bias_kernel", MxnetDecoder},
    {"AddBiasGradKernelPhase1", MxnetDecoder},
    {"Device", CubDecoder},
};

}  // namespace

Decoder FindDecoder(const NameParts& kernel) {
  const auto* row = std::find_if(
      std::begin(kRows), std::end(kRows),
      [&](const Row& r) { return kernel.name.starts_with(r.name_begins); });
  return row == std::end(kRows) ? Decoder{} : row->decoder(kernel);
}

LaunchCost CostOf(const DecodedLaunch& launch, const opmodel::GpuSpec& gpu) {
  LaunchCost cost;
  for (const Operand& operand : launch.operands()) {
    const int ways = operand.access == Operand::kReadWrite ? 2 : 1;
    cost.bytes += static_cast<double>(std::max<int64_t>(operand.elements, 0)) *
                  static_cast<double>(operand.element_bytes) * ways;
  }
  const double scattered_ns =
      opmodel::ScatteredTime(cost.bytes, launch.sector_bytes, gpu).ns;
  if (scattered_ns > opmodel::StreamingTime(cost.bytes, gpu).ns) {
    cost.duration_ns = std::llround(scattered_ns);
  }
  if (launch.operation) {
    const auto time = opmodel::TimeOf(*launch.operation, gpu);
    if (time) cost.duration_ns = std::llround(launch.slowdown * time->ns);
  }
  return cost;
}

}  // namespace dltap::simgpu
