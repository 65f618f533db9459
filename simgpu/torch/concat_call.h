// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_CONCAT_CALL_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_CONCAT_CALL_H_

#include "shim/simgpu/device/semantics/kernel_name.h"
#include "shim/simgpu/device/semantics/semantics.h"

namespace dltap::simgpu {

// TensorFlow's concat_fixed_kernel and concat_variable_kernel: tf.concat and
// tf.stack of tensors of one width each, and of different ones. By such a stack
// tf.function asks which of the variables that it created are initialized.
Decoder ConcatDecoder(const NameParts& kernel);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_SEMANTICS_CONCAT_CALL_H_
