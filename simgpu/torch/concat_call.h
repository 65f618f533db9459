// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_TORCH_CONCAT_CALL_H_
#define DLTAP_SIMGPU_TORCH_CONCAT_CALL_H_

#include "simgpu/torch/kernel_name.h"
#include "simgpu/torch/semantics.h"

namespace dltap::simgpu {

// TensorFlow's concat_fixed_kernel and concat_variable_kernel: tf.concat and
// tf.stack of tensors of one width each, and of different ones. By such a stack
// tf.function asks which of the variables that it created are initialized.
Decoder ConcatDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_TORCH_CONCAT_CALL_H_
