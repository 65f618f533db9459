// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {

// Creation and destruction of the descriptors that objects.h defines.
#define SIM_LIFETIME(NAME, STRUCT)                                             \
  SIMGPU_API cudnnStatus_t cudnnCreate##NAME##Descriptor(                      \
      cudnn##NAME##Descriptor_t* descriptor) {                                 \
    return CudnnEntry(FunctionOf<"cudnn", "cudnnCreate" #NAME "Descriptor">(), \
                      [&] {                                                    \
                        if (descriptor == nullptr) {                           \
                          return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;          \
                        }                                                      \
                        *descriptor = new STRUCT;                              \
                        return CUDNN_STATUS_SUCCESS;                           \
                      });                                                      \
  }                                                                            \
  SIMGPU_API cudnnStatus_t cudnnDestroy##NAME##Descriptor(                     \
      cudnn##NAME##Descriptor_t descriptor) {                                  \
    return CudnnEntry(                                                         \
        FunctionOf<"cudnn", "cudnnDestroy" #NAME "Descriptor">(), [&] {        \
          delete descriptor;                                                   \
          return CUDNN_STATUS_SUCCESS;                                         \
        });                                                                    \
  }
SIM_LIFETIME(Tensor, cudnnTensorStruct)
SIM_LIFETIME(Filter, cudnnFilterStruct)
SIM_LIFETIME(Convolution, cudnnConvolutionStruct)
SIM_LIFETIME(Pooling, cudnnPoolingStruct)
SIM_LIFETIME(Activation, cudnnActivationStruct)
SIM_LIFETIME(Dropout, cudnnDropoutStruct)
SIM_LIFETIME(RNN, cudnnRNNStruct)
SIM_LIFETIME(RNNData, cudnnRNNDataStruct)
#undef SIM_LIFETIME

}  // namespace dltap::simgpu
