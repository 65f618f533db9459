// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart that code compiled by nvcc calls. NVIDIA declares them
// only for nvcc's own passes; the prototypes follow crt/host_runtime.h and
// crt/device_functions.h of CUDA 13.0.
#ifndef DLTAP_SHIM_SPECS_SUPPLEMENT_CUDART_INTERNAL_H_
#define DLTAP_SHIM_SPECS_SUPPLEMENT_CUDART_INTERNAL_H_

#include <cuda_runtime_api.h>

extern "C" {

// crt/host_runtime.h
void** __cudaRegisterFatBinary(void* fatCubin);
void __cudaRegisterFatBinaryEnd(void** fatCubinHandle);
void __cudaUnregisterFatBinary(void** fatCubinHandle);
void __cudaRegisterVar(void** fatCubinHandle, char* hostVar,
                       char* deviceAddress, const char* deviceName, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void** fatCubinHandle, void** hostVarPtrAddress,
                              char* deviceAddress, const char* deviceName,
                              int ext, size_t size, int constant, int global);
char __cudaInitModule(void** fatCubinHandle);
void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun,
                            char* deviceFun, const char* deviceName,
                            int thread_limit, uint3* tid, uint3* bid,
                            dim3* bDim, dim3* gDim, int* wSize);
cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim,
                                       size_t* sharedMem, void* stream);

// crt/device_functions.h
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                     size_t sharedMem,
                                     struct CUstream_st* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                               void** args, size_t sharedMem,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim,
                                    dim3 blockDim, void** args,
                                    size_t sharedMem, cudaStream_t stream);

// cuda_profiler_api.h of CUDA 11; the mode is an enumeration.
cudaError_t cudaProfilerInitialize(const char* configFile,
                                   const char* outputFile, int outputMode);

}  // extern "C"

#endif  // DLTAP_SHIM_SPECS_SUPPLEMENT_CUDART_INTERNAL_H_
