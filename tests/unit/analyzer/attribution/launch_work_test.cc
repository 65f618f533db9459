// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/launch_work.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/attribution/names/template_text.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

using opmodel::DType;

constexpr double kMore = 8 * 128;  // elements of a block
constexpr double kFour = 4 * 128;

LaunchShape Grid(uint32_t blocks, uint32_t threads = 128, uint32_t rows = 1) {
  LaunchShape shape;
  shape.grid = {blocks, 1, 1};
  shape.block = {threads, rows, 1};
  return shape;
}

std::string Vectorized(const std::string& functor, int tensors) {
  return "void at::native::vectorized_elementwise_kernel<4, " + functor +
         ", std::array<char*, " + std::to_string(tensors) + "ul> >(int, X)";
}

std::optional<LaunchWork> WorkOf(const std::string& name,
                                 const LaunchShape& shape) {
  return WorkOfLaunch(name, shape, TorchTiles::kMore);
}

TEST(LaunchWorkTest, EveryRuleCatchesItsOwnExample) {
  for (const LaunchRule& rule : LaunchRules()) {
    const LaunchRule* match = MatchLaunch(rule.example);
    ASSERT_NE(match, nullptr) << rule.example;
    EXPECT_EQ(match->globs, rule.globs) << rule.example;
  }
}

// 1000 blocks of 1024: at least 999 * 1024 + 1 elements, of two inputs and a
// result of four bytes, and an addition each.
TEST(LaunchWorkTest, TheLastBlockMayBeNearlyEmpty) {
  const auto work =
      WorkOf(Vectorized("at::native::CUDAFunctor_add<float>", 3), Grid(1000));
  ASSERT_TRUE(work && work->flops && work->bytes);
  EXPECT_EQ(*work->flops, 1000 * kMore);
  EXPECT_EQ(*work->bytes, 12 * 1000 * kMore);
  EXPECT_EQ(work->bytes_least, 12 * (999 * kMore + 1));
  EXPECT_EQ(work->math, DType::kF32);
}

TEST(LaunchWorkTest, ThreadsOfOldPyTorchHandleFourElements) {
  const std::string old =
      "void at::native::vectorized_elementwise_kernel<4, "
      "at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int)";
  EXPECT_EQ(*WorkOfLaunch(old, Grid(10), TorchTiles::kUnknown)->bytes,
            12 * 10 * kFour);
  const std::string either = Vectorized("at::native::AbsFunctor<float>", 2);
  EXPECT_EQ(*WorkOfLaunch(either, Grid(10), TorchTiles::kFour)->bytes,
            8 * 10 * kFour);
  EXPECT_FALSE(WorkOfLaunch(either, Grid(10), TorchTiles::kUnknown));
}

TEST(LaunchWorkTest, AFillOfBytesHandlesSixteenElementsAThread) {
  EXPECT_EQ(
      *WorkOf(Vectorized("at::native::FillFunctor<bool>", 1), Grid(10))->bytes,
      10 * 16 * 128);
}

TEST(LaunchWorkTest, ThreadsOnAmdHandleElementsByTheNarrowestTensor) {
  const std::string half = Vectorized("at::native::AbsFunctor<c10::Half>", 2);
  EXPECT_EQ(*WorkOf(half, Grid(10, 256))->bytes, 4 * 10 * 256 * 8);
  const std::string full = Vectorized("at::native::AbsFunctor<float>", 2);
  EXPECT_EQ(*WorkOfLaunch(full, Grid(10, 256), TorchTiles::kUnknown)->bytes,
            8 * 10 * 256 * 4);
}

TEST(LaunchWorkTest, TypesAreThoseOfTheFunctor) {
  const auto bytes = [](const std::string& functor, int tensors) {
    const auto work = WorkOf(Vectorized(functor, tensors), Grid(1));
    return work && work->bytes ? *work->bytes / kMore : -1;
  };
  // bool, two floats, a float.
  EXPECT_EQ(bytes("at::native::where_kernel_impl(at::TensorIterator&)::"
                  "{lambda()#1}::operator()() const::{lambda(bool, float, "
                  "float)#1}",
                  4),
            13);
  EXPECT_EQ(bytes("at::native::BinaryFunctor<c10::Half, c10::Half, bool, "
                  "at::native::CompareEqFunctor<c10::Half> >",
                  3),
            5);
  // The other operand is a number.
  EXPECT_EQ(bytes("at::native::AUnaryFunctor<float, double, double, "
                  "at::native::binary_internal::MulFunctor<double> >",
                  2),
            16);
  EXPECT_EQ(bytes("at::native::float16_copy_kernel_cuda(at::TensorIterator&)::"
                  "{lambda(float)#1}",
                  2),
            6);
  EXPECT_EQ(bytes("at::native::unknown<at::native::Opaque>", 2), -1);
}

TEST(LaunchWorkTest, IntegersHaveNoFlops) {
  const auto work =
      WorkOf(Vectorized("at::native::CUDAFunctor_add<long>", 3), Grid(1));
  EXPECT_EQ(*work->flops, 0);
  EXPECT_EQ(*work->bytes, 24 * kMore);
}

// What an unknown lambda gives back is not told; a functor names all types.
TEST(LaunchWorkTest, OfAnUnknownFunctorTheBytesAreKnownIfItNamesThem) {
  EXPECT_FALSE(WorkOf(
      Vectorized("at::native::own(at::T&)::{lambda(float)#1}", 2), Grid(1)));
  const auto work = WorkOf(
      Vectorized("at::native::BinaryFunctor<float, float, float, at::native::"
                 "own(at::T&)::{lambda(float, float)#1}>",
                 3),
      Grid(1));
  ASSERT_TRUE(work);
  EXPECT_FALSE(work->flops);
  EXPECT_EQ(*work->bytes, 12 * kMore);
}

// Inputs may be broadcast, so that only the result is certain.
TEST(LaunchWorkTest, StridedInputsMayBeSmall) {
  const auto work = WorkOf(
      "void at::native::elementwise_kernel<128, 2, at::native::"
      "gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >("
      "at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::"
      "{lambda(int)#1}>(int, at::native::X)",
      Grid(100));
  ASSERT_TRUE(work && work->bytes);
  EXPECT_EQ(*work->flops, 100 * 256);
  EXPECT_EQ(*work->bytes, 12 * 100 * 256);
  EXPECT_EQ(work->bytes_least, 4 * (99 * 256 + 1));
}

TEST(LaunchWorkTest, WhatIsCastMovesAnUnknownNumberOfBytes) {
  const auto work = WorkOf(
      "void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add"
      "<float>, std::array<char*, 3ul>, 4, TrivialOffsetCalculator<2, unsigned "
      "int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::"
      "LoadWithCast<2>, at::native::memory::StoreWithCast<1> >(int)",
      Grid(100));
  ASSERT_TRUE(work);
  EXPECT_FALSE(work->bytes);
  EXPECT_EQ(*work->flops, 100 * kFour);
}

// 10 blocks of 4 warps of 2 rows of 65 to 128 values, read and written.
TEST(LaunchWorkTest, ASoftmaxKnowsItsRowsToAFactorOfTwo) {
  const auto work = WorkOf(
      "void (anonymous namespace)::softmax_warp_forward<c10::Half, float, "
      "float, 7, false, false>(float*, c10::Half const*, int, int, int)",
      Grid(10, 32, 4));
  ASSERT_TRUE(work && work->bytes);
  EXPECT_EQ(*work->bytes, 6 * 10 * 8 * 128);
  EXPECT_EQ(work->bytes_least, 6 * (9 * 8 * 128 + 1) * 0.5);
  EXPECT_EQ(*work->flops, 5 * 10 * 8 * 128);
}

TEST(LaunchWorkTest, NamesThatAreNoTemplatesSayNothing) {
  for (const char* name :
       {"", "k", "at::native::vectorized_elementwise_kernel<",
        "at::native::vectorized_elementwise_kernel<>",
        "at::native::vectorized_elementwise_kernel<4, <, >",
        "at::native::unrolled_elementwise_kernel<a(, b>"}) {
    EXPECT_FALSE(WorkOf(name, Grid(1))) << name;
  }
}

TEST(LaunchWorkTest, Cuda13OrAKernelOfEightTellsTheTiles) {
  const auto tiles = [](const std::string& text) {
    const TraceModel model = TraceFromText("device 0\n" + text);
    return TilesOf(model, model.processes[0]);
  };
  EXPECT_EQ(tiles("library cudart version=13000\n"), TorchTiles::kMore);
  EXPECT_EQ(tiles("library cudart version=12080\n"), TorchTiles::kUnknown);
  EXPECT_EQ(tiles("kernel t=0..1us device=0 corr=1 "
                  "name=_ZN2at6native29vectorized_elementwise_kernelILi8EE\n"),
            TorchTiles::kMore);
  EXPECT_EQ(tiles("kernel t=0..1us device=0 corr=1 "
                  "name=_ZN2at6native29vectorized_elementwise_kernelILi4EE\n"),
            TorchTiles::kUnknown);
}

TEST(TemplateTextTest, ListsStopAtTheirOwnBrackets) {
  const auto arguments = TemplateArguments(
      "void a::(anonymous namespace)::k<4, b::F<c, d(e, f)>, "
      "g()->h>(int, long)");
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[1], "b::F<c, d(e, f)>");
  EXPECT_EQ(arguments[2], "g()->h");
  EXPECT_EQ(TemplateArguments("a::<unnamed>::k<(int)4>(T1)").size(), 1u);
  EXPECT_EQ(TemplateNumber("(int)4"), 4);
  EXPECT_EQ(TemplateNumber("3ul"), 3);
  EXPECT_FALSE(TemplateNumber("float"));
  EXPECT_EQ(PointersIn("at::detail::Array<char*, 3>"), 3);
}

}  // namespace
}  // namespace dltap::analyzer
