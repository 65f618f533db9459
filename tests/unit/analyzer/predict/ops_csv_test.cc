// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/ops_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using ::testing::HasSubstr;

std::vector<OpsRow> Read(const std::string& text) {
  const auto rows = ParseOpsCsv(text, "ops.csv");
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : std::vector<OpsRow>{};
}

Operation ReadOne(const std::string& text) {
  const std::vector<OpsRow> rows = Read(text);
  EXPECT_EQ(rows.size(), 1u);
  return rows.empty() ? Operation{} : rows[0].operation;
}

std::string ErrorOf(const std::string& text) {
  return std::string(ParseOpsCsv(text, "ops.csv").status().message());
}

TEST(OpsCsvTest, GemmIsReadAsBlasSeesIt) {
  const Operation op =
      ReadOne("op,precision,m,n,k,trans_a,trans_b\ngemm,fp32,10,20,30,T,N\n");
  EXPECT_EQ(op.kind, OpKind::kGemm);
  EXPECT_EQ(op[Dim::kM], 10);
  EXPECT_EQ(op[Dim::kN], 20);
  EXPECT_EQ(op[Dim::kK], 30);
  EXPECT_EQ(op.math, DType::kF32);
}

TEST(OpsCsvTest, BmmIsRowMajor) {
  // 5 x (10 x 20) @ 5 x (20 x 30): 30 is contiguous, 20 is summed over.
  const Operation op = ReadOne("op,b,m,n,k\nbmm,5,10,20,30\n");
  EXPECT_EQ(op[Dim::kBatch], 5);
  EXPECT_EQ(op[Dim::kM], 30);
  EXPECT_EQ(op[Dim::kN], 10);
  EXPECT_EQ(op[Dim::kK], 20);
}

TEST(OpsCsvTest, LinearFoldsItsBatchAndTransposesTheWeight) {
  const Operation op = ReadOne("op,b,m,n,k\nlinear,2,10,20,30\n");
  EXPECT_EQ(op[Dim::kM], 30);
  EXPECT_EQ(op[Dim::kN], 20);
  EXPECT_EQ(op[Dim::kK], 20);
  EXPECT_EQ(op[Dim::kTransA], 1);
}

TEST(OpsCsvTest, ConvolutionComputesItsOutput) {
  // DeepBench's first speech layer: 700 x 161 with a 20 x 5 filter.
  const Operation op = ReadOne(
      "op,precision,w,h,c,n,k,s,r,pad_w,pad_h,stride_1,stride_2\n"
      "conv_backward_data,fp16mixed,700,161,1,4,32,20,5,0,0,2,2\n");
  EXPECT_EQ(op.kind, OpKind::kConvBackwardData);
  EXPECT_EQ(op.storage, DType::kF16);
  EXPECT_EQ(op[Dim::kFilterWidth], 20);
  EXPECT_EQ(op[Dim::kFilterHeight], 5);
  EXPECT_EQ(op[Dim::kWidthOut], 341);
  EXPECT_EQ(op[Dim::kHeightOut], 79);
}

TEST(OpsCsvTest, RnnWithoutInputColumnSkipsTheInputMatrix) {
  const Operation op =
      ReadOne("op,cell,hidden,batch,timesteps\nrnn_forward,gru,512,32,100\n");
  EXPECT_EQ(op.cell, opmodel::RnnCell::kGru);
  EXPECT_EQ(op[Dim::kSeq], 100);
  EXPECT_EQ(op[Dim::kInput], 0);
  EXPECT_EQ(op[Dim::kLayers], 1);
}

TEST(OpsCsvTest, ElementwiseInputsComeFromColumnOrKernelName) {
  EXPECT_EQ(ReadOne("op,b,h\nelementwise,4,8\n")[Dim::kElementsIn], 32);
  EXPECT_EQ(ReadOne("op,b,h,inputs\nelementwise,4,8,3\n")[Dim::kElementsIn],
            96);
  EXPECT_EQ(
      ReadOne(
          "op,b,h,kernel\nelementwise,4,8,\"vectorized<4, "
          "add<float>, at::detail::Array<char*, 3> >\"\n")[Dim::kElementsIn],
      64);
  EXPECT_EQ(ReadOne("op,b,h,function\nelementwise,4,8,mul\n")[Dim::kElementsIn],
            64);
  EXPECT_EQ(ReadOne("op,b,h\nadd,4,8\n")[Dim::kElementsIn], 64);
  EXPECT_EQ(ReadOne("op,b,h\ngelu,4,8\n")[Dim::kElementsIn], 32);
}

TEST(OpsCsvTest, RowOperationsKnowTheirRows) {
  for (const char* op : {"layer_norm", "softmax"}) {
    const Operation operation = ReadOne(absl::StrCat("op,b,h\n", op, ",4,8\n"));
    EXPECT_EQ(operation[Dim::kRows], 4);
    EXPECT_EQ(operation[Dim::kElementsOut], 32);
  }
}

TEST(OpsCsvTest, MixedFilesUseOnlyTheColumnsOfTheirOperation) {
  const std::vector<OpsRow> rows =
      Read("op,b,h,m,n,k,note\nsoftmax,4,8,,,,x\ngemm,,,1,2,3,y\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].op, "gemm");
  EXPECT_EQ(rows[1].line, 3);
}

TEST(OpsCsvTest, MeasuredTimesMayBeMissing) {
  const std::vector<OpsRow> rows = Read(
      "op,b,h,measured_ms\nsoftmax,4,8,1.5\nsoftmax,4,8,\nsoftmax,4,8,N/A*\n");
  EXPECT_EQ(rows[0].measured_ms, 1.5);
  EXPECT_FALSE(rows[1].measured_ms.has_value());
  EXPECT_FALSE(rows[2].measured_ms.has_value());
}

TEST(OpsCsvTest, ErrorsNameLineColumnAndWhatIsExpected) {
  EXPECT_EQ(ErrorOf("op,m,n,k\ngemm,1,2,3\ngemm,1,abc,3\n"),
            "ops.csv:3: column 'n' of gemm is 'abc'; expected an integer of at "
            "least 1");
  EXPECT_EQ(ErrorOf("op,m,n\ngemm,1,2\n"),
            "ops.csv:2: gemm needs column 'k', which is missing; expected an "
            "integer of at least 1");
  EXPECT_THAT(ErrorOf("op,m,n,k\ngemm,1,2,-3\n"), HasSubstr("is '-3'"));
  EXPECT_THAT(ErrorOf("op,m,n,k\ngemm,1,2,1.5\n"), HasSubstr("is '1.5'"));
  EXPECT_THAT(ErrorOf("op,m\nfft,1\n"), HasSubstr("column 'op' of the row is "
                                                  "'fft'; expected gemm"));
  EXPECT_THAT(ErrorOf("op,b,h,precision\nsoftmax,1,1,fp7\n"),
              HasSubstr("column 'precision' of softmax is 'fp7'"));
  EXPECT_THAT(ErrorOf("op,b,h,measured_ms\nsoftmax,1,1,fast\n"),
              HasSubstr("column 'measured_ms' of softmax is 'fast'"));
  EXPECT_THAT(ErrorOf("op,cell,hidden,batch,timesteps\nrnn_forward,x,1,1,1\n"),
              HasSubstr("expected vanilla, relu, tanh, lstm or gru"));
  EXPECT_THAT(ErrorOf("m,n\n1,2\n"), HasSubstr("no column 'op'"));
}

TEST(OpsCsvTest, FilterLargerThanItsImageIsAnError) {
  EXPECT_THAT(ErrorOf("op,w,h,c,n,k,s,r\nconv_forward,4,4,1,1,1,7,3\n"),
              HasSubstr("column 'w' of conv_forward is '4'; expected at least "
                        "7 for a filter of 7"));
}

TEST(OpsCsvTest, HugeNumbersAreErrorsNotOverflows) {
  EXPECT_THAT(ErrorOf("op,m,n,k\ngemm,99999999999999999999,2,3\n"),
              HasSubstr("column 'm'"));
  EXPECT_THAT(ErrorOf("op,m,n,k\ngemm,9223372036854775807,2,3\n"),
              HasSubstr("column 'm'"));
}

TEST(OpsCsvTest, SizesThatOverflowOrNeverEndAreErrors) {
  EXPECT_THAT(ErrorOf("op,b,h\nsoftmax,2147483647,2147483647\n"),
              HasSubstr("column 'b' of softmax"));
  const std::string rnn =
      "op,cell,hidden,batch,timesteps,layers,directions\nrnn_forward,gru,1,1,"
      "1,";
  EXPECT_THAT(ErrorOf(rnn + "2000000000,1\n"), HasSubstr("at most 10000"));
  EXPECT_THAT(ErrorOf(rnn + "1,3\n"), HasSubstr("at most 2"));
}

TEST(OpsCsvTest, DamagedFilesAreRowsOrAnErrorWithAPlace) {
  const std::string valid =
      "op,precision,w,h,c,n,k,s,r,pad_w,pad_h,stride_1,stride_2,measured_ms\n"
      "conv_forward,fp32,28,28,16,8,32,3,3,1,1,1,1,0.25\n"
      "\"conv_backward_data\",fp16,28,28,16,8,32,3,3,1,1,2,2,N/A\n";
  constexpr char kBytes[] = "\",\n-0919eEn/\xff";  // and the final 0
  std::minstd_rand random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = valid;
    for (int change = 0; change < 3; ++change) {
      damaged[random() % damaged.size()] = kBytes[random() % sizeof(kBytes)];
    }
    const auto rows = ParseOpsCsv(damaged, "ops.csv");
    if (!rows.ok()) {
      EXPECT_THAT(rows.status().message(), HasSubstr("ops.csv:"));
    }
  }
}

}  // namespace
}  // namespace dltap::analyzer
