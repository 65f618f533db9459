// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/one_hot.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

constexpr double kBytesOfIndex = 8;
// What a fill writes is told by its whole blocks.
constexpr double kWholeBlocks = 0.005;
// Fewer are classes, not the rows of a table.
constexpr double kLeastElements = 1 << 20;

std::array<int64_t, 3> SizesOf(const opmodel::Operation& op) {
  std::array<int64_t, 3> sizes{op[Dim::kM], op[Dim::kN], op[Dim::kK]};
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace

void OneHot::AddFill(double bytes, const Kernel& kernel) {
  made_ = {};
  if (bytes / kBytesOfIndex < kLeastElements) return;
  made_ = {Stage::kFilled, bytes / kBytesOfIndex, kernel.ns};
}

void OneHot::Advance(Stage from, Stage to, const Kernel& kernel) {
  if (made_.stage != from) {
    made_ = {};
    return;
  }
  made_.stage = to;
  made_.ns += kernel.ns;
}

void OneHot::AddScatter(const Kernel& kernel) {
  Advance(Stage::kFilled, Stage::kScattered, kernel);
}

void OneHot::AddCast(const Kernel& kernel) {
  Advance(Stage::kScattered, Stage::kCast, kernel);
}

bool OneHot::IsOperand(int64_t rows, int64_t columns) const {
  const double elements =
      static_cast<double>(rows) * static_cast<double>(columns);
  return std::abs(elements - made_.elements) <= kWholeBlocks * made_.elements;
}

std::optional<OneHot::Sums> OneHot::AddProduct(const opmodel::Operation& op,
                                               const Kernel& kernel,
                                               bool is_backward) {
  const int64_t m = op[Dim::kM], n = op[Dim::kN], k = op[Dim::kK];
  const bool has_operand = made_.stage == Stage::kCast && !is_backward &&
                           (IsOperand(m, k) || IsOperand(k, n));
  const double made_ns = has_operand ? made_.ns : 0;
  made_ = {};
  if (has_operand) products_.insert(SizesOf(op));
  if (!has_operand && !(is_backward && products_.contains(SizesOf(op)))) {
    return std::nullopt;
  }
  return Sums{.count = kernel.is_new ? 1U : 0U,
              .ns = made_ns + kernel.ns,
              .result = static_cast<double>(m) * static_cast<double>(n),
              .of_table = is_backward};
}

}  // namespace dltap::analyzer
