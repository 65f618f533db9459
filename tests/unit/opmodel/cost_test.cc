// SPDX-License-Identifier: Apache-2.0
#include "opmodel/cost.h"

#include <gtest/gtest.h>

#include "tests/unit/opmodel/operations.h"

namespace dltap::opmodel {
namespace {

// The oracles below know nothing of the formulas: they run the operation as
// textbook loops and count every multiplication and addition.

int64_t CountGemm(int64_t batch, int64_t m, int64_t n, int64_t k) {
  int64_t operations = 0;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t p = 0; p < k; ++p) operations += 2;
  return operations;
}

int64_t CountConv(const SquareConv& conv) {
  const int64_t out = conv.OutputSize();
  const int64_t channels = conv.in_channels / conv.groups;
  int64_t operations = 0;
  for (int64_t image = 0; image < conv.batch; ++image)
    for (int64_t k = 0; k < conv.out_channels; ++k)
      for (int64_t y = 0; y < out; ++y)
        for (int64_t x = 0; x < out; ++x)
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t r = 0; r < conv.filter; ++r)
              for (int64_t s = 0; s < conv.filter; ++s) operations += 2;
  return operations;
}

// One matrix-vector product of a gate.
int64_t CountMatVec(int64_t rows, int64_t columns) {
  int64_t operations = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) operations += 2;
  return operations;
}

struct RnnLoops {
  int64_t gates, seq, batch, input, hidden;
  int64_t proj = 0;
  int64_t layers = 1;
  int64_t directions = 1;
};

int64_t CountRnn(const RnnLoops& rnn) {
  const int64_t state = rnn.proj > 0 ? rnn.proj : rnn.hidden;
  int64_t operations = 0;
  for (int64_t layer = 0; layer < rnn.layers; ++layer)
    for (int64_t direction = 0; direction < rnn.directions; ++direction)
      for (int64_t t = 0; t < rnn.seq; ++t)
        for (int64_t b = 0; b < rnn.batch; ++b) {
          const int64_t below = layer == 0 ? rnn.input : rnn.directions * state;
          for (int64_t gate = 0; gate < rnn.gates; ++gate) {
            operations += CountMatVec(rnn.hidden, below);
            operations += CountMatVec(rnn.hidden, state);
          }
          if (rnn.proj > 0) operations += CountMatVec(rnn.proj, rnn.hidden);
        }
  return operations;
}

int64_t CountAttention(int64_t batch, int64_t heads, int64_t seq_q,
                       int64_t seq_kv, int64_t dim, bool causal) {
  int64_t operations = 0;
  for (int64_t b = 0; b < batch * heads; ++b)
    for (int64_t i = 0; i < seq_q; ++i)
      for (int64_t j = 0; j < seq_kv; ++j) {
        if (causal && j > i) continue;
        operations += 2 * dim;  // score
        operations += 2 * dim;  // times V
      }
  return operations;
}

TEST(GemmCostTest, CountsTwoFlopsPerProduct) {
  // By hand: 2 * 128 * 256 * 512 = 33,554,432.
  const std::optional<Cost> cost = CostOf(MakeGemm(128, 256, 512));
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->flops, 33554432);
  // A 128 x 512, B 512 x 256, D 128 x 256: 229,376 floats.
  EXPECT_EQ(cost->bytes, 4 * 229376);
}

TEST(GemmCostTest, AgreesWithCountedLoops) {
  EXPECT_EQ(CostOf(MakeGemm(7, 5, 11, 3))->flops, CountGemm(3, 7, 5, 11));
  EXPECT_EQ(CostOf(MakeGemm(1, 1, 1))->flops, CountGemm(1, 1, 1, 1));
}

TEST(GemmCostTest, BatchMultipliesFlopsAndBytes) {
  EXPECT_EQ(CostOf(MakeGemm(8, 8, 8, 10))->flops,
            10 * CostOf(MakeGemm(8, 8, 8))->flops);
  EXPECT_EQ(CostOf(MakeGemm(8, 8, 8, 10))->bytes,
            10 * CostOf(MakeGemm(8, 8, 8))->bytes);
}

TEST(GemmCostTest, ComplexProductIsFourRealOnes) {
  Operation op = MakeGemm(4, 4, 4);
  op.storage = op.math = DType::kC64;
  EXPECT_EQ(CostOf(op)->flops, 4 * 2 * 64);
  EXPECT_EQ(CostOf(op)->bytes, 8 * 48);
}

TEST(GemmCostTest, StorageTypeDecidesBytes) {
  Operation op = MakeGemm(16, 16, 16);
  op.storage = DType::kF16;
  EXPECT_EQ(CostOf(op)->bytes, 2 * 768);
  op.storage = DType::kF4E2M1;
  EXPECT_EQ(CostOf(op)->bytes, 384);
}

TEST(GemmCostTest, UnknownDimensionOrTypeIsUnknown) {
  EXPECT_FALSE(CostOf(MakeGemm(0, 16, 16)).has_value());
  Operation op = MakeGemm(16, 16, 16);
  op.storage = DType::kUnknown;
  EXPECT_FALSE(CostOf(op).has_value());
}

TEST(GemmCostTest, HugeShapesDoNotOverflow) {
  const int64_t side = int64_t{1} << 21;
  EXPECT_DOUBLE_EQ(CostOf(MakeGemm(side, side, side))->flops, 0x1p64);
}

TEST(ConvCostTest, ResNetStemByHand) {
  // 3 x 224 x 224 -> 64 x 112 x 112, 7 x 7, stride 2:
  // 2 * 64 * 112 * 112 * 3 * 49 = 236,027,904.
  const Operation op = MakeConv(OpKind::kConvForward, {.batch = 1,
                                                       .in_channels = 3,
                                                       .out_channels = 64,
                                                       .size = 224,
                                                       .filter = 7,
                                                       .stride = 2,
                                                       .padding = 3});
  EXPECT_EQ(CostOf(op)->flops, 236027904);
  // x 150,528, w 9,408, y 802,816 floats.
  EXPECT_EQ(CostOf(op)->bytes, 4 * (150528 + 9408 + 802816));
}

TEST(ConvCostTest, AllDirectionsAgreeWithCountedLoops) {
  const SquareConv convs[] = {
      {.batch = 2, .in_channels = 3, .out_channels = 5, .size = 9, .filter = 3},
      {.batch = 1,
       .in_channels = 4,
       .out_channels = 6,
       .size = 8,
       .filter = 5,
       .stride = 2,
       .padding = 2},
      {.batch = 2,
       .in_channels = 8,
       .out_channels = 12,
       .size = 6,
       .filter = 3,
       .padding = 1,
       .groups = 4},
  };
  for (const SquareConv& conv : convs) {
    for (const OpKind kind : {OpKind::kConvForward, OpKind::kConvBackwardData,
                              OpKind::kConvBackwardWeight}) {
      EXPECT_EQ(CostOf(MakeConv(kind, conv))->flops, CountConv(conv));
    }
  }
}

TEST(ConvCostTest, DepthMultipliesPointsAndTaps) {
  Operation op = MakeConv(OpKind::kConvForward, {.batch = 1,
                                                 .in_channels = 2,
                                                 .out_channels = 3,
                                                 .size = 5,
                                                 .filter = 3});
  const double flat = CostOf(op)->flops;
  op[Dim::kDepthIn] = 4;
  op[Dim::kFilterDepth] = 2;
  op[Dim::kDepthOut] = 3;
  EXPECT_EQ(CostOf(op)->flops, flat * 2 * 3);
}

TEST(RnnCostTest, LstmStepByHand) {
  // 4 gates of 10 x (6 + 10): 2 * 640 = 1,280 flops for one step and sequence.
  EXPECT_EQ(
      CostOf(MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, 1, 1, 6, 10))->flops,
      1280);
}

// Sequences of 5, 3 and 1 steps are nine rows, not fifteen.
TEST(RnnCostTest, ShorterSequencesCountTheirOwnSteps) {
  Operation op = MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, 5, 3, 6, 10);
  op[Dim::kRows] = 9;
  EXPECT_EQ(
      CostOf(op)->flops,
      CountRnn({.gates = 4, .seq = 9, .batch = 1, .input = 6, .hidden = 10}));
}

TEST(RnnCostTest, CellsAgreeWithCountedLoops) {
  const std::pair<RnnCell, int64_t> cells[] = {{RnnCell::kLstm, 4},
                                               {RnnCell::kGru, 3},
                                               {RnnCell::kTanh, 1},
                                               {RnnCell::kRelu, 1}};
  for (const auto& [cell, gates] : cells) {
    EXPECT_EQ(
        CostOf(MakeRnn(OpKind::kRnnForward, cell, 3, 2, 5, 7))->flops,
        CountRnn(
            {.gates = gates, .seq = 3, .batch = 2, .input = 5, .hidden = 7}));
  }
}

TEST(RnnCostTest, StackedBidirectionalProjectionAgreesWithCountedLoops) {
  Operation op = MakeRnn(OpKind::kRnnForward, RnnCell::kLstm, 3, 2, 5, 8);
  op[Dim::kLayers] = 3;
  op[Dim::kDirections] = 2;
  op[Dim::kProj] = 4;
  EXPECT_EQ(CostOf(op)->flops, CountRnn({.gates = 4,
                                         .seq = 3,
                                         .batch = 2,
                                         .input = 5,
                                         .hidden = 8,
                                         .proj = 4,
                                         .layers = 3,
                                         .directions = 2}));
}

TEST(RnnCostTest, BackwardPassesCountLikeForward) {
  const double forward =
      CostOf(MakeRnn(OpKind::kRnnForward, RnnCell::kGru, 4, 3, 5, 6))->flops;
  for (const OpKind kind :
       {OpKind::kRnnBackwardData, OpKind::kRnnBackwardWeight}) {
    EXPECT_EQ(CostOf(MakeRnn(kind, RnnCell::kGru, 4, 3, 5, 6))->flops, forward);
  }
}

TEST(RnnCostTest, SkippedInputHasNoMatrix) {
  // Only the recurrent 7 x 7 matrix of each of three gates.
  EXPECT_EQ(
      CostOf(MakeRnn(OpKind::kRnnForward, RnnCell::kGru, 1, 1, 0, 7))->flops,
      2 * 3 * 49);
}

TEST(RnnCostTest, HugeShapesDoNotOverflow) {
  const int64_t size = int64_t{1} << 31;
  EXPECT_DOUBLE_EQ(
      CostOf(MakeRnn(OpKind::kRnnForward, RnnCell::kTanh, size, size, 0, size))
          ->flops,
      2 * 0x1p124);
}

TEST(RnnCostTest, UnknownCellIsUnknown) {
  EXPECT_FALSE(CostOf(MakeRnn(OpKind::kRnnForward, RnnCell::kNone, 1, 1, 4, 4))
                   .has_value());
}

Operation MakeAttention(OpKind kind, int64_t batch, int64_t heads,
                        int64_t seq_q, int64_t seq_kv, int64_t dim,
                        bool causal) {
  return MakeOperation(kind, {{Dim::kBatch, batch},
                              {Dim::kHeads, heads},
                              {Dim::kSeqQ, seq_q},
                              {Dim::kSeqKv, seq_kv},
                              {Dim::kHeadDim, dim},
                              {Dim::kCausal, causal ? 1 : 0}});
}

TEST(AttentionCostTest, ForwardAgreesWithCountedLoops) {
  EXPECT_EQ(
      CostOf(MakeAttention(OpKind::kAttentionForward, 2, 3, 5, 7, 4, false))
          ->flops,
      CountAttention(2, 3, 5, 7, 4, false));
}

TEST(AttentionCostTest, CausalIsHalfUpToTheDiagonal) {
  const int64_t seq = 64;
  const double modelled =
      CostOf(MakeAttention(OpKind::kAttentionForward, 1, 2, seq, seq, 8, true))
          ->flops;
  const double counted = CountAttention(1, 2, seq, seq, 8, true);
  EXPECT_LT(modelled, counted);
  EXPECT_NEAR(modelled / counted, 1, 1.0 / seq);
}

TEST(AttentionCostTest, BackwardIsTwoAndAHalfForwards) {
  const double forward =
      CostOf(MakeAttention(OpKind::kAttentionForward, 2, 4, 16, 16, 8, false))
          ->flops;
  EXPECT_EQ(
      CostOf(MakeAttention(OpKind::kAttentionBackward, 2, 4, 16, 16, 8, false))
          ->flops,
      2.5 * forward);
}

TEST(AttentionCostTest, BackwardTakesEachProductByItsOwnDepth) {
  Operation op =
      MakeAttention(OpKind::kAttentionBackward, 2, 4, 16, 32, 64, false);
  op[Dim::kHeadDimV] = 8;
  // Scores, dQ, dK of 64 and dV, dP of 8.
  EXPECT_EQ(CostOf(op)->flops, 2.0 * 2 * 4 * 16 * 32 * (3 * 64 + 2 * 8));
}

TEST(AttentionCostTest, GroupedKeysAreReadOnce) {
  Operation op =
      MakeAttention(OpKind::kAttentionForward, 1, 8, 16, 16, 4, false);
  op[Dim::kKvHeads] = 2;
  // Q and O: 8 * 16 * 4 each; K and V: 2 * 16 * 4 each.
  EXPECT_EQ(CostOf(op)->bytes, 4 * (2 * 512 + 2 * 128));
}

TEST(StreamingCostTest, PointwiseMovesEachTensorOnce) {
  const Operation add =
      MakeOperation(OpKind::kPointwise,
                    {{Dim::kElementsIn, 2000}, {Dim::kElementsOut, 1000}});
  EXPECT_EQ(CostOf(add)->bytes, 12000);
  EXPECT_EQ(CostOf(add)->flops, 1000);
}

TEST(StreamingCostTest, ReductionCountsItsInput) {
  const Operation sum = MakeOperation(
      OpKind::kReduction, {{Dim::kElementsIn, 4096}, {Dim::kElementsOut, 1}});
  EXPECT_EQ(CostOf(sum)->flops, 4096);
  EXPECT_EQ(CostOf(sum)->bytes, 4 * 4097);
}

TEST(StreamingCostTest, MovingDataIsNoArithmetic) {
  for (const OpKind kind :
       {OpKind::kCopy, OpKind::kMemset, OpKind::kLayout, OpKind::kEmbedding}) {
    EXPECT_EQ(CostOf(MakeOperation(kind, {{Dim::kElementsOut, 64}}))->flops, 0);
  }
}

TEST(StreamingCostTest, EveryKindWithElementsHasACost) {
  for (int kind = static_cast<int>(OpKind::kNormForward);
       kind <= static_cast<int>(OpKind::kOptimizer); ++kind) {
    const Operation op =
        MakeOperation(static_cast<OpKind>(kind),
                      {{Dim::kElementsIn, 10}, {Dim::kElementsOut, 10}});
    EXPECT_TRUE(CostOf(op).has_value()) << kind;
  }
}

// Eight transforms of 1024 points: 5 N log2 N each.
TEST(FftCostTest, ComplexTransformsCountFiveForEachPointAndStage) {
  Operation op = MakeOperation(OpKind::kFft, {{Dim::kRows, 8},
                                              {Dim::kElementsIn, 8 * 1024},
                                              {Dim::kElementsOut, 8 * 1024}});
  op.storage = DType::kC64;
  EXPECT_EQ(CostOf(op)->flops, 8 * 5.0 * 1024 * 10);
  EXPECT_EQ(CostOf(op)->bytes, 8 * 2.0 * 8 * 1024);
}

// 1024 reals become 513 complex numbers: half of the arithmetic.
TEST(FftCostTest, RealTransformsCountHalf) {
  const Operation forward = MakeOperation(
      OpKind::kFft,
      {{Dim::kRows, 1}, {Dim::kElementsIn, 1024}, {Dim::kElementsOut, 1026}});
  const Operation backward = MakeOperation(
      OpKind::kFft,
      {{Dim::kRows, 1}, {Dim::kElementsIn, 1026}, {Dim::kElementsOut, 1024}});
  EXPECT_EQ(CostOf(forward)->flops, 2.5 * 1024 * 10);
  EXPECT_EQ(CostOf(backward)->flops, CostOf(forward)->flops);
  EXPECT_EQ(CostOf(forward)->bytes, 4 * 2050.0);
}

TEST(FftCostTest, APlanThatNobodySawIsUnknown) {
  EXPECT_FALSE(CostOf(MakeOperation(OpKind::kFft, {})).has_value());
}

// LAPACK working note 41: n^3/3, 2n^3/3, 4n^3/3.
TEST(FactorizationCostTest, SquareMatrices) {
  const auto flops = [](OpKind kind) {
    return CostOf(MakeOperation(kind, {{Dim::kM, 300}, {Dim::kN, 300}}))->flops;
  };
  EXPECT_DOUBLE_EQ(flops(OpKind::kCholesky), 9e6);
  EXPECT_DOUBLE_EQ(flops(OpKind::kLu), 18e6);
  EXPECT_DOUBLE_EQ(flops(OpKind::kQr), 36e6);
}

TEST(FactorizationCostTest, ATallMatrixCountsAsItsTransposed) {
  const Operation tall =
      MakeOperation(OpKind::kQr, {{Dim::kM, 600}, {Dim::kN, 300}});
  const Operation wide =
      MakeOperation(OpKind::kQr, {{Dim::kM, 300}, {Dim::kN, 600}});
  EXPECT_DOUBLE_EQ(CostOf(tall)->flops, 2 * 600 * 9e4 - 2 * 27e6 / 3);
  EXPECT_DOUBLE_EQ(CostOf(wide)->flops, CostOf(tall)->flops);
}

TEST(FactorizationCostTest, BatchesAndComplexNumbersMultiply) {
  Operation op =
      MakeOperation(OpKind::kCholesky, {{Dim::kN, 300}, {Dim::kBatch, 10}});
  EXPECT_DOUBLE_EQ(CostOf(op)->flops, 9e7);
  op.storage = DType::kC64;
  EXPECT_DOUBLE_EQ(CostOf(op)->flops, 4 * 9e7);
  EXPECT_FALSE(CostOf(MakeOperation(OpKind::kLu, {{Dim::kN, 5}})).has_value());
}

TEST(StreamingCostTest, NoElementsIsUnknown) {
  EXPECT_FALSE(CostOf(MakeOperation(OpKind::kPointwise, {})).has_value());
  EXPECT_FALSE(CostOf(Operation{}).has_value());
}

}  // namespace
}  // namespace dltap::opmodel
