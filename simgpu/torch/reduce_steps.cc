// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "simgpu/torch/reduce_call.h"

namespace dltap::simgpu {
namespace {

// `factor`: what MeanOps multiplies with in the end.
template <typename C>
struct Steps {
  C (*combine)(C sum, C value);
  C (*project)(C sum, double factor);
};

template <typename C>
C Keep(C sum, double) {
  return sum;
}
template <typename C>
C Or(C a, C b) {
  return a != 0 || b != 0;
}
template <typename C>
C And(C a, C b) {
  return a != 0 && b != 0;
}
double Add(double a, double b) { return a + b; }
int64_t AddWrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
template <typename C>
C Maximum(C a, C b) {
  return a != a || a > b ? a : b;  // a NaN wins
}
template <typename C>
C Minimum(C a, C b) {
  return a != a || a < b ? a : b;
}
double AddSquare(double sum, double value) { return sum + value * value; }
double SquareRoot(double sum, double) { return std::sqrt(sum); }
double TimesFactor(double sum, double factor) { return sum * factor; }

// A reduction by the name of its functor, or of the function round its lambda.
struct ReductionRow {
  std::string_view name;
  bool starts_at_first;  // else at zero
  Steps<double> real;
  Steps<int64_t> integer;
  // Of numbers that nobody computed. `all` and `any` are how programs check a
  // tensor, or ask whether a loop is over: checks pass, and loops end.
  std::optional<bool> of_unknown{};
  // May say otherwise for some rounds, by what follows from zeroes: a loop of
  // so many rounds at most has an end of its own.
  uint32_t rounds = 0;
};

constexpr ReductionRow kRows[] = {
    {"or_kernel_cuda", true, {Or, Keep}, {Or, Keep}, false, 1000},
    {"and_kernel_cuda", true, {And, Keep}, {And, Keep}, true},
    {"sum_functor", false, {Add, Keep}, {AddWrapping, Keep}},
    {"MeanOps", false, {Add, TimesFactor}, {nullptr, nullptr}},
    {"MaxNanFunctor", true, {Maximum, Keep}, {Maximum, Keep}},
    {"MinNanFunctor", true, {Minimum, Keep}, {Minimum, Keep}},
    {"NormTwoOps", false, {AddSquare, SquareRoot}, {nullptr, nullptr}},
};

template <typename C>
void ComputeAll(const ReductionRow& row, const ReduceCall& call,
                const Steps<C>& steps) {
  const Reduction& reduction = call.reduction;
  for (uint32_t output = 0; output < call.outputs; ++output) {
    const auto base = call.output_offsets.At(output);
    const std::byte* first = call.source + base[1];
    C sum = 0;
    for (uint32_t i = 0; i < call.inputs; ++i) {
      const C value =
          LoadAs<C>(reduction.input, first + call.input_offsets.At(i)[0]);
      // A single element must still be projected to true or false.
      const bool takes = i == 0 && row.starts_at_first;
      sum = takes ? steps.combine(value, value) : steps.combine(sum, value);
    }
    StoreAs<C>(reduction.output, call.destination + base[0],
               steps.project(sum, call.factor));
  }
}

void Decide(const ReduceCall& call, bool verdict) {
  for (uint32_t output = 0; output < call.outputs; ++output) {
    StoreAs<int64_t>(call.reduction.output,
                     call.destination + call.output_offsets.At(output)[0],
                     verdict ? 1 : 0);
  }
}

void Compute(const ReductionRow& row, const ReduceCall& call) {
  if (IsReal(call.reduction.sum)) {
    ComputeAll<double>(row, call, row.real);
  } else {
    ComputeAll<int64_t>(row, call, row.integer);
  }
}

bool IsAnything(const ReduceCall& call) {
  for (uint32_t output = 0; output < call.outputs; ++output) {
    const std::byte* at = call.destination + call.output_offsets.At(output)[0];
    if (LoadAs<int64_t>(call.reduction.output, at) != 0) return true;
  }
  return false;
}

// `all` or `any` of what nobody computed. True: the result stands.
bool RunOnUnknown(const ReductionRow& row, const ReduceCall& call,
                  bool may_compute) {
  static std::atomic<uint32_t> rounds{0};  // in a row that went on
  if (row.rounds > 0 && may_compute) {
    Compute(row, call);
    if (!IsAnything(call)) {
      rounds.store(0);
      return true;
    }
    if (rounds.fetch_add(1) < row.rounds) return true;
    rounds.store(0);
  }
  return false;
}

void Run(const ReductionRow& row, const ReduceCall& call) {
  const Range output = call.Output();
  const Permission permission =
      MayCompute(call.elements(), {call.Input()}, output, call.reduction.input);
  if (row.of_unknown && permission.result != Freshness::kFresh &&
      IsAllocated(output)) {
    const bool small = call.elements() <= kMaxSmallElements;
    if (!RunOnUnknown(row, call, permission.compute && small)) {
      Decide(call, *row.of_unknown);
    }
    MarkAssumed(output.data, output.bytes, NumberTypeOf(call.reduction.output));
    return;
  }
  if (permission.compute) Compute(row, call);
  MarkOutput(output, call.IsDense(), permission, call.reduction.output);
}

}  // namespace

RunReduction FindStepReduction(const NameParts& operation,
                               const Reduction& reduction) {
  const auto* row = std::find_if(
      std::begin(kRows), std::end(kRows),
      [&](const ReductionRow& r) { return r.name == operation.name; });
  if (row == std::end(kRows) || !IsComputed(reduction.sum) ||
      (!IsReal(reduction.sum) && row->integer.combine == nullptr)) {
    return {};
  }
  return [row](const ReduceCall& call) { Run(*row, call); };
}

}  // namespace dltap::simgpu
