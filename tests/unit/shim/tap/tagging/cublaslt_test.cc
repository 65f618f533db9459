// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cublaslt.h"

#include <cublasLt.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

using Attributes = std::map<int, int64_t>;

// Like cublasLt: refuses what was never set.
int GetAttribute(void* object, int attribute, void* value, size_t bytes,
                 size_t* written) {
  const auto& attributes = *static_cast<const Attributes*>(object);
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(value, &found->second, bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

Attributes Layout(cudaDataType_t type, int64_t rows, int64_t columns,
                  int64_t batch) {
  return {{CUBLASLT_MATRIX_LAYOUT_TYPE, type},
          {CUBLASLT_MATRIX_LAYOUT_ROWS, rows},
          {CUBLASLT_MATRIX_LAYOUT_COLS, columns},
          {CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch}};
}

class CublasLtTest : public ::testing::Test {
 protected:
  CublasLtTest() {
    void* get = reinterpret_cast<void*>(&GetAttribute);
    runtime_.real["cublasLtMatrixLayoutGetAttribute"] = get;
    runtime_.real["cublasLtMatmulDescGetAttribute"] = get;
  }

  std::vector<Operation> Packed(void* d) {
    uint32_t id = 0;
    hooks::CublasLtMatmul::Pack(reinterpret_cast<uint8_t*>(&id), &desc_, &a_,
                                &b_, &c_, d);
    return runtime_.operations[id];
  }

  FakeTaggingRuntime runtime_;
  Attributes desc_{{CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, CUBLAS_COMPUTE_32F},
                   {CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T},
                   {CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT}};
  Attributes a_ = Layout(CUDA_R_16BF, 768, 3072, 1);
  Attributes b_ = Layout(CUDA_R_16BF, 768, 4096, 1);
  Attributes c_ = Layout(CUDA_R_16BF, 3072, 4096, 1);
  Attributes d_ = c_;
};

TEST_F(CublasLtTest, ReadsTransposedProduct) {
  const auto nodes = Packed(&d_);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].kind, OpKind::kGemm);
  EXPECT_EQ(nodes[0].storage, DType::kBf16);
  EXPECT_EQ(nodes[0].math, DType::kBf16);
  EXPECT_EQ(nodes[0][Dim::kM], 3072);
  EXPECT_EQ(nodes[0][Dim::kN], 4096);
  EXPECT_EQ(nodes[0][Dim::kK], 768);
  EXPECT_EQ(nodes[0][Dim::kBatch], 1);
  EXPECT_EQ(nodes[0][Dim::kTransA], 1);
  EXPECT_EQ(nodes[0][Dim::kTransB], 0);
}

TEST_F(CublasLtTest, EachOperandHasATranspositionOfItsOwn) {
  desc_[CUBLASLT_MATMUL_DESC_TRANSA] = CUBLAS_OP_N;
  desc_[CUBLASLT_MATMUL_DESC_TRANSB] = CUBLAS_OP_T;
  const auto nodes = Packed(&d_);
  EXPECT_EQ(nodes[0][Dim::kTransA], 0);
  EXPECT_EQ(nodes[0][Dim::kTransB], 1);
  EXPECT_EQ(nodes[0][Dim::kK], 3072);
}

TEST_F(CublasLtTest, EpilogueIsANodeOfItsOwn) {
  desc_[CUBLASLT_MATMUL_DESC_EPILOGUE] = CUBLASLT_EPILOGUE_GELU_BIAS;
  const auto nodes = Packed(&d_);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].kind, OpKind::kPointwise);
  EXPECT_EQ(nodes[1][Dim::kElementsOut], 3072 * 4096);
}

TEST_F(CublasLtTest, WithoutDTheResultIsC) {
  EXPECT_EQ(Packed(nullptr)[0][Dim::kM], 3072);
}

TEST_F(CublasLtTest, Tf32IsTheMathOfFastCompute) {
  a_[CUBLASLT_MATRIX_LAYOUT_TYPE] = CUDA_R_32F;
  desc_[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE] = CUBLAS_COMPUTE_32F_FAST_TF32;
  const auto nodes = Packed(&d_);
  EXPECT_EQ(nodes[0].storage, DType::kF32);
  EXPECT_EQ(nodes[0].math, DType::kTf32);
}

TEST_F(CublasLtTest, UnreadableAttributesAreUnknownNotWrong) {
  a_.clear();
  const auto nodes = Packed(&d_);
  EXPECT_EQ(nodes[0].storage, DType::kUnknown);
  EXPECT_EQ(nodes[0][Dim::kK], 0);
  EXPECT_EQ(nodes[0][Dim::kM], 3072);
}

}  // namespace
}  // namespace dltap::shim::tagging
