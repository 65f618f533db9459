// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_CONV_SHAPE_H_
#define DLTAP_OPMODEL_CONV_SHAPE_H_

#include "opmodel/gemm_shape.h"
#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// A convolution with defaults filled in and its strides recovered from the
// sizes (padding keeps in / out near the stride).
struct ConvShape {
  OpKind direction;
  double batch, in_channels, out_channels, groups;
  double input_points, output_points, taps;
  double output_height, output_width;
  int64_t filter_height, filter_width;
  bool unit_stride;
  bool flat;  // 2-D
};

ConvShape ConvShapeOf(const Operation& op);

// Each direction as the GEMM that implicit-GEMM kernels run (cuDNN: Chetlur et
// al. 2014): the reduction runs over filter taps and channels, or over images
// and output points for the filter's gradient.
GemmShape ImplicitGemmOf(const Operation& op, const ConvShape& conv,
                         const GpuSpec& gpu);

// How much more of a GEMM's rate convolutions keep on sm_61.
double GeForceRatio(const ConvShape& conv, const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_CONV_SHAPE_H_
