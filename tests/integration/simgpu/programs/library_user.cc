// SPDX-License-Identifier: Apache-2.0
// Calls cuDNN and cuBLAS from several threads and prints how often it called
// each function: "NAME COUNT". Built twice: linked, and (DLTAP_BY_NAME) finding
// everything by dlopen and dlsym. Usage: library_user [THREADS [ROUNDS]]
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex g_mutex;
std::map<std::string, int> g_calls;

void Count(const char* name) {
  const std::lock_guard lock(g_mutex);
  ++g_calls[name];
}

[[noreturn]] void Fail(const char* what, long got) {
  std::fprintf(stderr, "%s: %ld\n", what, got);
  std::_Exit(2);
}

#ifdef DLTAP_BY_NAME
[[maybe_unused]] void* FindIn(const char* soname, const char* name) {
  void* library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  void* found = library != nullptr ? dlsym(library, name) : nullptr;
  if (found == nullptr) Fail(dlerror(), 0);
  return found;
}
#define CALLED(soname, name) \
  reinterpret_cast<decltype(&name)>(FindIn(soname, #name))
#else
#define CALLED(soname, name) name
#endif

// One counted call that must succeed.
#define DO(soname, name, ...)                                                  \
  do {                                                                         \
    Count(#name);                                                              \
    const auto status = CALLED(soname, name)(__VA_ARGS__);                     \
    if (static_cast<int>(status) != 0) Fail(#name, static_cast<long>(status)); \
  } while (false)
#define CUDNN(name, ...) DO("libcudnn.so.9", name, __VA_ARGS__)
#define CUBLAS(name, ...) DO("libcublas.so.13", name, __VA_ARGS__)
#define CUBLASLT(name, ...) DO("libcublasLt.so.13", name, __VA_ARGS__)
#define CUDART(name, ...) DO("libcudart.so.13", name, __VA_ARGS__)

// Arguments of every kind go through: a double, a pointer to write, seven ints.
void UseDescriptors() {
  cudnnActivationDescriptor_t activation;
  CUDNN(cudnnCreateActivationDescriptor, &activation);
  CUDNN(cudnnSetActivationDescriptor, activation, CUDNN_ACTIVATION_ELU,
        CUDNN_PROPAGATE_NAN, 0.625);
  cudnnActivationMode_t mode;
  cudnnNanPropagation_t nan;
  double coefficient = 0;
  CUDNN(cudnnGetActivationDescriptor, activation, &mode, &nan, &coefficient);
  if (coefficient != 0.625 || mode != CUDNN_ACTIVATION_ELU) {
    Fail("activation descriptor", static_cast<long>(coefficient * 1000));
  }
  CUDNN(cudnnDestroyActivationDescriptor, activation);
}

// One function of each sub-library, the convolution's with 13 arguments.
void UseCudnn(float* memory) {
  cudnnHandle_t handle;
  CUDNN(cudnnCreate, &handle);
  cudnnTensorDescriptor_t tensor;
  CUDNN(cudnnCreateTensorDescriptor, &tensor);
  CUDNN(cudnnSetTensor4dDescriptor, tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
        1, 8, 6, 6);
  cudnnFilterDescriptor_t filter;
  CUDNN(cudnnCreateFilterDescriptor, &filter);
  CUDNN(cudnnSetFilter4dDescriptor, filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
        8, 8, 1, 1);
  cudnnConvolutionDescriptor_t convolution;
  CUDNN(cudnnCreateConvolutionDescriptor, &convolution);
  CUDNN(cudnnSetConvolution2dDescriptor, convolution, 0, 0, 1, 1, 1, 1,
        CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
  cudnnRNNDescriptor_t rnn;
  CUDNN(cudnnCreateRNNDescriptor, &rnn);
  CUDNN(cudnnDestroyRNNDescriptor, rnn);
  const float one = 1, zero = 0;
  CUDNN(cudnnConvolutionForward, handle, &one, tensor, memory, filter, memory,
        convolution, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0,
        &zero, tensor, memory);
  CUDNN(cudnnDestroyConvolutionDescriptor, convolution);
  CUDNN(cudnnDestroyFilterDescriptor, filter);
  CUDNN(cudnnDestroyTensorDescriptor, tensor);
  CUDNN(cudnnDestroy, handle);
}

void UseCublas(float* memory) {
  cublasHandle_t handle;
  CUBLAS(cublasCreate_v2, &handle);
  const float one = 1, zero = 0;
  CUBLAS(cublasSgemm_v2, handle, CUBLAS_OP_N, CUBLAS_OP_T, 64, 32, 16, &one,
         memory, 64, memory, 32, &zero, memory, 64);
  CUBLAS(cublasGemmEx_64, handle, CUBLAS_OP_T, CUBLAS_OP_N, 64, 32, 16, &one,
         memory, CUDA_R_16F, 16, memory, CUDA_R_16F, 16, &zero, memory,
         CUDA_R_16F, 64, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  CUBLAS(cublasDestroy_v2, handle);
}

// The program's own call of what cuBLAS calls, too.
void UseCublasLt(float* memory) {
  cublasLtHandle_t handle;
  CUBLASLT(cublasLtCreate, &handle);
  cublasLtMatmulDesc_t product;
  CUBLASLT(cublasLtMatmulDescCreate, &product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayout_t square;
  CUBLASLT(cublasLtMatrixLayoutCreate, &square, CUDA_R_16F, 16, 16, 16);
  const float one = 1, zero = 0;
  CUBLASLT(cublasLtMatmul, handle, product, &one, memory, square, memory,
           square, &zero, memory, square, memory, square, nullptr, nullptr, 0,
           nullptr);
  CUBLASLT(cublasLtMatrixLayoutDestroy, square);
  CUBLASLT(cublasLtMatmulDescDestroy, product);
  CUBLASLT(cublasLtDestroy, handle);
}

void Rounds(int count) {
  float* memory = nullptr;
  CUDART(cudaMalloc, reinterpret_cast<void**>(&memory), 1 << 20);
  for (int i = 0; i < count; ++i) {
    UseDescriptors();
    UseCudnn(memory);
    UseCublas(memory);
    UseCublasLt(memory);
  }
  CUDART(cudaDeviceSynchronize);
  CUDART(cudaFree, memory);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::thread> all;
  for (int i = 1; i < threads; ++i) all.emplace_back(Rounds, rounds);
  Rounds(rounds);
  for (std::thread& thread : all) thread.join();
  for (const auto& [name, count] : g_calls) {
    std::printf("%s %d\n", name.c_str(), count);
  }
}
