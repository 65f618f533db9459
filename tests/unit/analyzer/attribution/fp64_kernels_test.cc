// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/fp64_kernels.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(Fp64KernelsTest, ProductsAndTypesTell) {
  for (const char* name :
       {"ampere_dgemm_64x64_nn", "cutlass_80_tensorop_d884gemm_64x32_16x4_nt",
        "sm80_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize32x64x8",
        "void at::native::vectorized_elementwise_kernel<4, "
        "at::native::CUDAFunctor_add<double>, std::array<char*, 3ul> >(int)",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<double, "
        "at::native::MeanOps<double, double, double, double>, unsigned int, "
        "double, 4> >(double)",
        "void at::native::unrolled_elementwise_kernel<at::native::"
        "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(double)#7},"
        " std::array<char*, 2ul>, 4>(int)"}) {
    EXPECT_TRUE(NamesFp64(name)) << name;
  }
}

TEST(Fp64KernelsTest, ADoubleThatIsAScalarTellsNothing) {
  for (const char* name :
       {"ampere_sgemm_64x64_nn", "loop_multiply_fusion", "my_batchedgemm_f32",
        "void at::native::multi_tensor_apply_kernel<at::native::"
        "TensorListMetadata<4>, at::native::FusedAdamMathFunctor<float, 4, "
        "(at::native::ADAM_MODE)0, false>, float*, double, double>(double)",
        "void scale<c10::Half>(c10::Half*, double)",
        "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm>()"}) {
    EXPECT_FALSE(NamesFp64(name)) << name;
  }
}

}  // namespace
}  // namespace dltap::analyzer
