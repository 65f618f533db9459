// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "simgpu/torch/families.h"
#include "simgpu/torch/iterator.h"
#include "simgpu/torch/operands.h"

namespace dltap::simgpu {
namespace {

bool IsPlus(std::string_view operation) {
  const std::string_view name = TakeApart(operation).name;
  return name == "plus" || name == "SumOp" || name == "Sum";
}

bool IsEquality(std::string_view operation) {
  const std::string_view name = TakeApart(operation).name;
  return name == "equal_to" || name == "Equality";
}

bool IsConstant(std::string_view iterator) {
  const std::string_view name = TakeApart(iterator).name;
  return name == "constant_iterator" || name == "ConstantInputIterator";
}

// A sum of all, or of each prefix, of the input.
struct SumCall {
  BoundIterator input;
  BoundIterator output;
  int64_t elements;
  int64_t partial_sums;     // outputs; the first gets all, the others zero
  bool prefixes;            // a scan
  bool multiplies = false;  // in place of adding
  bool exclusive = false;   // a scan that leaves out the element itself
  int64_t first = 0;        // of an exclusive scan

  int64_t outputs() const { return prefixes ? elements : partial_sums; }
};

template <typename C>
void ComputeSum(const SumCall& call) {
  C sum = call.multiplies ? 1 : static_cast<C>(call.first);
  for (int64_t i = 0; i < call.elements; ++i) {
    const C value = call.input.Load<C>(i);
    if (call.exclusive) call.output.Store<C>(i, sum);
    sum = call.multiplies ? sum * value : sum + value;
    if (call.prefixes && !call.exclusive) call.output.Store<C>(i, sum);
  }
  if (call.prefixes) return;
  for (int64_t i = 0; i < call.partial_sums; ++i) {
    call.output.Store<C>(i, i == 0 ? sum : 0);
  }
}

void Run(const SumCall& call) {
  const Range output = call.output.RangeOf(call.outputs());
  const Permission permission =
      MayCompute(call.elements, {call.input.RangeOf(call.elements)}, output,
                 call.input.iterator.type);
  if (permission.compute) {
    ComputeIn(call.output.iterator.type,
              [&]<typename C>(C) { ComputeSum<C>(call); });
  }
  MarkOutput(output, true, permission, call.output.iterator.type);
}

DecodedLaunch DecodedSum(const SumCall& call) {
  if (call.elements <= 0 || call.outputs() <= 0) return {};
  return WithEffect(EffectOf(call));
}

// DeviceReduceSingleTileKernel<policy, input, output, count, operation, ...>
// (input, output, count n, ...)
Decoder SingleTileSum(const NameParts& kernel) {
  const auto input = FindIterator(kernel.arguments[1]);
  const auto output = FindIterator(kernel.arguments[2]);
  if (!input || !output || !IsPlus(kernel.arguments[4])) return {};
  const std::string count(kernel.arguments[3]);
  return [=](const LaunchView& launch) {
    return DecodedSum({Bind(*input, launch.arguments[0]),
                       Bind(*output, launch.arguments[1]),
                       ReadCount(count, launch.arguments[2]), 1, false});
  };
}

// DeviceReduceKernel<policy, input, count, operation, sum, ...>
// (input, sum*, count n, ...): a partial sum from each block.
Decoder PartialSums(const NameParts& kernel) {
  const auto input = FindIterator(kernel.arguments[1]);
  const Iterator output{Iterator::Kind::kPointer,
                        ScalarTypeNamed(kernel.arguments[4])};
  if (!input || !IsComputed(output.type) || !IsPlus(kernel.arguments[3])) {
    return {};
  }
  const std::string count(kernel.arguments[2]);
  return [=](const LaunchView& launch) {
    return DecodedSum(
        {Bind(*input, launch.arguments[0]), Bind(output, launch.arguments[1]),
         ReadCount(count, launch.arguments[2]), launch.grid.count(), false});
  };
}

// DeviceScanKernel<policy, input, output, tiles, operation, init, count, ...>
// (input, output, tiles, int, operation, init, count n); without an initial
// value the scan is inclusive. InputValue<long, long*>: {bool is not there yet;
// int64_t value}
Decoder PrefixSums(const NameParts& kernel) {
  const auto input = FindIterator(kernel.arguments[1]);
  const auto output = FindIterator(kernel.arguments[2]);
  const bool multiplies = TakeApart(kernel.arguments[4]).name == "multiplies";
  const NameParts initial = TakeApart(kernel.arguments[5]);
  const bool exclusive = !multiplies && initial.name == "InputValue" &&
                         !initial.arguments.empty() &&
                         initial.arguments[0] == "long";
  if (!input || !output || (!multiplies && !IsPlus(kernel.arguments[4])) ||
      (!exclusive && initial.name != "NullType")) {
    return {};
  }
  const std::string count(kernel.arguments[6]);
  return [=](const LaunchView& launch) -> DecodedLaunch {
    SumCall call{Bind(*input, launch.arguments[0]),
                 Bind(*output, launch.arguments[1]),
                 ReadCount(count, launch.arguments[6]),
                 0,
                 true,
                 multiplies,
                 exclusive};
    if (exclusive) {
      const std::byte* value = Bytes(launch.arguments[5]);
      if (ReadAt<bool>(value)) return {};
      call.first = ReadAt<int64_t>(value + 8);
    }
    return DecodedSum(call);
  };
}

// Some elements of the input, and how many.
struct SelectCall {
  BoundIterator input;
  std::optional<BoundIterator> flags;  // none: each unlike the one before it
  BoundIterator output;
  BoundIterator count;
  int64_t elements;
};

// Calls take(element) for each that is selected.
template <typename C, typename Take>
void ForEachSelected(const SelectCall& call, Take take) {
  C previous = 0;
  for (int64_t i = 0; i < call.elements; ++i) {
    const C element = call.input.Load<C>(i);
    const bool keep = call.flags ? call.flags->Load<int64_t>(i) != 0
                                 : i == 0 || element != previous;
    if (keep) take(element);
    previous = element;
  }
}

// False: the output, which has room for what will be selected and not for all,
// is too small.
template <typename C>
bool ComputeSelect(const SelectCall& call, int64_t* selected) {
  ForEachSelected<C>(call, [&](C) { ++*selected; });
  if (*selected > 0 && !IsAllocated(call.output.RangeOf(*selected))) {
    return false;
  }
  int64_t next = 0;
  ForEachSelected<C>(call,
                     [&](C element) { call.output.Store<C>(next++, element); });
  call.count.Store<int64_t>(0, *selected);
  return true;
}

void Run(const SelectCall& call) {
  const Range count = call.count.RangeOf(1);
  const Range flags = call.flags ? call.flags->RangeOf(call.elements) : Range{};
  Permission permission =
      MayCompute(call.elements, {call.input.RangeOf(call.elements), flags},
                 count, call.input.iterator.type);
  int64_t selected = 0;
  if (permission.compute) {
    permission.compute = ComputeIn(
        call.input.iterator.type,
        [&]<typename C>(C) { return ComputeSelect<C>(call, &selected); });
  }
  if (!permission.compute) selected = call.elements;
  MarkOutput(count, true, permission, call.count.iterator.type);
  if (selected > 0) {
    MarkOutput(call.output.RangeOf(selected), true, permission,
               call.output.iterator.type);
  }
}

// DeviceSelectSweepKernel<policy, input, flags, output, count*, tiles,
// operation, equality, n, ...>(input, flags, output, count*, tiles, operation,
// equality, n, ...): by flags, or the first of equal neighbours.
Decoder Select(const NameParts& kernel) {
  const auto input = FindIterator(kernel.arguments[1]);
  const auto flags = FindIterator(kernel.arguments[2]);
  const auto output = FindIterator(kernel.arguments[3]);
  const auto count = FindIterator(kernel.arguments[4]);
  const bool by_flags =
      flags && TakeApart(kernel.arguments[7]).name == "NullType";
  const bool unique = !flags && IsEquality(kernel.arguments[7]);
  if (!input || !output || !count || by_flags == unique ||
      TakeApart(kernel.arguments[6]).name != "NullType") {
    return {};
  }
  const std::string n(kernel.arguments[8]);
  return [=](const LaunchView& launch) -> DecodedLaunch {
    SelectCall call{.input = Bind(*input, launch.arguments[0]),
                    .flags = std::nullopt,
                    .output = Bind(*output, launch.arguments[2]),
                    .count = Bind(*count, launch.arguments[3]),
                    .elements = ReadCount(n, launch.arguments[7])};
    if (by_flags) call.flags = Bind(*flags, launch.arguments[1]);
    if (call.elements <= 0) return {};
    return WithEffect(EffectOf(call));
  };
}

// How often each of the values in a row stands there.
struct RunsCall {
  BoundIterator input;
  BoundIterator values;
  BoundIterator lengths;
  BoundIterator count;
  int64_t elements;
};

template <typename C>
int64_t ComputeRuns(const RunsCall& call) {
  int64_t runs = 0;
  int64_t begin = 0;
  for (int64_t i = 1; i <= call.elements; ++i) {
    const C value = call.input.Load<C>(begin);
    if (i < call.elements && call.input.Load<C>(i) == value) continue;
    call.values.Store<C>(runs, value);
    call.lengths.Store<int64_t>(runs++, i - begin);
    begin = i;
  }
  return runs;
}

void Run(const RunsCall& call) {
  const Range count = call.count.RangeOf(1);
  const Range values = call.values.RangeOf(call.elements);
  const Range lengths = call.lengths.RangeOf(call.elements);
  Permission permission =
      MayCompute(call.elements, {call.input.RangeOf(call.elements)}, count,
                 call.input.iterator.type);
  permission.compute &= IsAllocated(values) && IsAllocated(lengths);
  int64_t runs = call.elements;
  if (permission.compute) {
    runs = ComputeIn(call.input.iterator.type,
                     [&]<typename C>(C) { return ComputeRuns<C>(call); });
    call.count.Store<int64_t>(0, runs);
  }
  MarkOutput(count, true, permission, call.count.iterator.type);
  MarkOutput(call.values.RangeOf(runs), true, permission,
             call.values.iterator.type);
  MarkOutput(call.lengths.RangeOf(runs), true, permission,
             call.lengths.iterator.type);
}

// DeviceReduceByKeyKernel<policy, keys, keys*, constant_iterator, lengths*,
// count*, tiles, equality, operation, n, ...>(keys in, keys out, ones, lengths
// out, count out, tiles, int, equality, operation, n, ...): run lengths.
Decoder Runs(const NameParts& kernel) {
  const auto input = FindIterator(kernel.arguments[1]);
  const auto values = FindIterator(kernel.arguments[2]);
  const auto lengths = FindIterator(kernel.arguments[4]);
  const auto count = FindIterator(kernel.arguments[5]);
  if (!input || !values || !lengths || !count ||
      !IsConstant(kernel.arguments[3]) || !IsEquality(kernel.arguments[7]) ||
      !IsPlus(kernel.arguments[8])) {
    return {};
  }
  const std::string n(kernel.arguments[9]);
  return [=](const LaunchView& launch) -> DecodedLaunch {
    const RunsCall call{.input = Bind(*input, launch.arguments[0]),
                        .values = Bind(*values, launch.arguments[1]),
                        .lengths = Bind(*lengths, launch.arguments[3]),
                        .count = Bind(*count, launch.arguments[4]),
                        .elements = ReadCount(n, launch.arguments[9])};
    if (call.elements <= 0) return {};
    return WithEffect(EffectOf(call));
  };
}

// Kernels that write nothing but CUB's own temporary storage.
Decoder NothingToSee(const NameParts&) {
  return [](const LaunchView&) { return WithEffect([] {}); };
}

struct CubRow {
  std::string_view kernel;
  size_t template_arguments;  // at least
  Decoder (*decoder)(const NameParts&);
};

constexpr CubRow kRows[] = {
    {"DeviceReduceSingleTileKernel", 5, SingleTileSum},
    {"DeviceReduceKernel", 5, PartialSums},
    {"DeviceScanInitKernel", 0, NothingToSee},
    {"DeviceScanKernel", 7, PrefixSums},
    {"DeviceCompactInitKernel", 0, NothingToSee},
    {"DeviceSelectSweepKernel", 9, Select},
    {"DeviceReduceByKeyKernel", 10, Runs},
    {"DeviceRadixSortHistogramKernel", 0, NothingToSee},
    {"DeviceRadixSortExclusiveSumKernel", 0, NothingToSee},
    {"DeviceRadixSortSingleTileKernel", 5, SortDecoder},
    {"DeviceRadixSortOnesweepKernel", 5, SortDecoder},
};

}  // namespace

Decoder CubDecoder(const NameParts& kernel) {
  // Before CUDA 13 no detail::scan:: and the like.
  if (!kernel.scope.ends_with("cub::") &&
      kernel.scope.find("cub::detail") == std::string_view::npos) {
    return {};
  }
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const CubRow& r) { return r.kernel == kernel.name; });
  if (row == std::end(kRows) ||
      kernel.arguments.size() < row->template_arguments) {
    return {};
  }
  return row->decoder(kernel);
}

}  // namespace dltap::simgpu
