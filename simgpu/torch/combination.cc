// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/combination.h"

#include <algorithm>
#include <iterator>

namespace dltap::simgpu {
namespace {

double Sum(double a, double b) { return a + b; }
double Product(double a, double b) { return a * b; }
double Larger(double a, double b) { return b != b ? b : std::max(a, b); }
double Smaller(double a, double b) { return b != b ? b : std::min(a, b); }

// As a GPU does: what does not fit wraps round.
int64_t IntegerSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
int64_t IntegerProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}
int64_t LargerInteger(int64_t a, int64_t b) { return std::max(a, b); }
int64_t SmallerInteger(int64_t a, int64_t b) { return std::min(a, b); }

constexpr Combination kRows[] = {
    {"ReduceAdd", Sum, IntegerSum},
    {"ReduceMean", Sum, IntegerSum},  // divided later
    {"ReduceMultiply", Product, IntegerProduct},
    {"ReduceMaximum", Larger, LargerInteger},
    {"ReduceMinimum", Smaller, SmallerInteger},
};

}  // namespace

const Combination* FindCombination(std::string_view name) {
  const auto* row = std::find_if(
      std::begin(kRows), std::end(kRows), [&](const Combination& r) {
        return name.find(r.functor) != std::string_view::npos;
      });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace dltap::simgpu
