// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/operand_shapes.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>

namespace dltap::analyzer {
namespace {

double Elements(const opmodel::Operation& op,
                std::initializer_list<opmodel::Dim> dims) {
  double elements = 1;
  for (const opmodel::Dim dim : dims) {
    elements *= static_cast<double>(std::max<int64_t>(1, op[dim]));
  }
  return elements;
}

}  // namespace

double LoadShare(const opmodel::Operation& op, opmodel::DType type) {
  constexpr int64_t kLoadBits = 128;
  using opmodel::Dim;
  const int64_t most = kLoadBits / opmodel::BitsOf(type);
  int64_t elements = most;
  for (const Dim dim :
       {Dim::kM, Dim::kN, Dim::kK, Dim::kChannelsIn, Dim::kChannelsOut}) {
    elements = std::gcd(elements, op[dim]);
  }
  return static_cast<double>(elements) / static_cast<double>(most);
}

double TileShare(int64_t channels) {
  constexpr int64_t kTile = 128;
  return static_cast<double>(std::min(channels, kTile)) / kTile;
}

double TileShare(const opmodel::Operation& op) {
  using opmodel::Dim;
  double share = 1;
  for (const Dim dim : {Dim::kChannelsIn, Dim::kChannelsOut}) {
    if (op[dim] > 0) share *= TileShare(op[dim]);
  }
  return share;
}

bool MayBeOperandOf(const opmodel::Operation& op, double bytes) {
  // Of the bytes of whole blocks of threads.
  constexpr double kWholeBlocks = 0.99;
  using opmodel::Dim;
  if (bytes <= 0 || op[Dim::kChannelsIn] == 0) return true;
  const double in = Elements(op, {Dim::kBatch, Dim::kChannelsIn, Dim::kDepthIn,
                                  Dim::kHeightIn, Dim::kWidthIn});
  const double out =
      Elements(op, {Dim::kBatch, Dim::kChannelsOut, Dim::kDepthOut,
                    Dim::kHeightOut, Dim::kWidthOut});
  const double filter =
      Elements(op, {Dim::kChannelsIn, Dim::kChannelsOut, Dim::kFilterDepth,
                    Dim::kFilterHeight, Dim::kFilterWidth}) /
      Elements(op, {Dim::kGroups});
  for (const double elements : {in, out, filter}) {
    for (const double bytes_of_element : {2, 4}) {
      const double moved = 2 * bytes_of_element * elements;
      if (moved <= bytes && moved >= kWholeBlocks * bytes) return true;
    }
  }
  return false;
}

}  // namespace dltap::analyzer
