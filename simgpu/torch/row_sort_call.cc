// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/torch/computation.h"
#include "simgpu/torch/families.h"
#include "simgpu/torch/tensor_view.h"

namespace dltap::simgpu {
namespace {

// One row out of each slice of a tensor: `size` elements, `stride` apart.
struct Rows {
  TensorView starts;  // of the rows: the row's own dimension has size 1
  int64_t size = 0;
  int64_t stride = 0;

  std::byte* At(int64_t row, int64_t element) const {
    return starts.At(row) +
           element * stride * static_cast<int64_t>(starts.element_bytes);
  }
  Range All(ScalarType type = ScalarType::kUnknown) const {
    Range range = starts.All({size, stride});
    range.type = type;
    return range;
  }
};

// Places in a row, in the order that its elements take. A NaN is larger than
// any number, as in torch.sort().
template <typename C>
std::vector<int64_t> OrderOf(const Rows& keys, int64_t row, ScalarType type,
                             bool descending) {
  std::vector<C> values(static_cast<size_t>(keys.size));
  for (int64_t i = 0; i < keys.size; ++i) {
    values[static_cast<size_t>(i)] = LoadAs<C>(type, keys.At(row, i));
  }
  const auto less = [&](int64_t a, int64_t b) {
    const C x = values[static_cast<size_t>(a)];
    const C y = values[static_cast<size_t>(b)];
    return y != y ? x == x : x < y;
  };
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return descending ? less(b, a) : less(a, b);
  });
  return order;
}

std::vector<int64_t> OrderOf(const Rows& keys, int64_t row, ScalarType type,
                             bool descending) {
  return ComputeIn(type, [&]<typename C>(C) {
    return OrderOf<C>(keys, row, type, descending);
  });
}

// Sorts a row by the order found.
void Permute(const Rows& rows, int64_t row, const std::vector<int64_t>& order) {
  const size_t bytes = rows.starts.element_bytes;
  std::vector<std::byte> moved(order.size() * bytes);
  for (size_t i = 0; i < order.size(); ++i) {
    std::copy_n(rows.At(row, order[i]), bytes, moved.data() + i * bytes);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    std::copy_n(moved.data() + i * bytes, bytes,
                rows.At(row, static_cast<int64_t>(i)));
  }
}

// What the name tells of a kernel. The names own their text.
struct Kernel {
  ScalarType key;
  size_t value_bytes;
  std::string index;
  bool descending = false;          // by its comparison;
  size_t descending_parameter = 0;  // 0: else by this one
};

// bitonicSortKVInPlace<.., key, value, GTOp or LTOp, index>
// warpMergeSortKVInPlace<.., key, value, GTOp or LTOp, index>
// radixSortKVInPlace<.., key, value, index>
// (TensorInfo keys, index rows, index size, index stride, TensorInfo values,
// index stride, comparison, or bool descending)
DecodedLaunch DecodeSort(const Kernel& kernel, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  auto keys = ReadTensorInfo(arguments[0], kernel.index, SizeOf(kernel.key));
  auto values = ReadTensorInfo(arguments[4], kernel.index, kernel.value_bytes);
  const auto number = [&](size_t i) {
    return ReadIndex(kernel.index, arguments[i]);
  };
  const int64_t count = number(1);
  const int64_t size = number(2);
  if (!keys || !values || size < 1 || keys->elements() != count ||
      values->elements() != count) {
    return {};
  }
  const Rows key_rows{std::move(*keys), size, number(3)};
  const Rows value_rows{std::move(*values), size, number(5)};
  const bool descending =
      kernel.descending_parameter == 0
          ? kernel.descending
          : ReadAt<bool>(arguments[kernel.descending_parameter]);
  return Computed({.elements = count * size,
                   .type = kernel.key,
                   .inputs = {key_rows.All(kernel.key), value_rows.All()},
                   .outputs = {{key_rows.All(), kernel.key},
                               {value_rows.All(), ScalarType::kInt64}},
                   .compute = [=, type = kernel.key] {
                     for (int64_t row = 0; row < count; ++row) {
                       const auto order =
                           OrderOf(key_rows, row, type, descending);
                       Permute(key_rows, row, order);
                       Permute(value_rows, row, order);
                     }
                   }});
}

// sbtopk::gatherTopK<T, index, ..>(TensorInfo input, index size, index k, bool
// largest, index rows, index stride, TensorInfo values, index stride,
// TensorInfo indices, index stride, ..): those beyond the k-th in their order,
// then those that equal it.
DecodedLaunch DecodeTopK(const Kernel& kernel, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const size_t bytes = SizeOf(kernel.key);
  auto input = ReadTensorInfo(arguments[0], kernel.index, bytes);
  auto values = ReadTensorInfo(arguments[6], kernel.index, bytes);
  auto indices = ReadTensorInfo(arguments[8], kernel.index, sizeof(int64_t));
  const auto number = [&](size_t i) {
    return ReadIndex(kernel.index, arguments[i]);
  };
  const int64_t size = number(1);
  const int64_t k = number(2);
  const int64_t count = number(4);
  if (!input || !values || !indices || k < 1 || k > size || count < 1) {
    return {};
  }
  const Rows from{std::move(*input), size, number(5)};
  const Rows to{std::move(*values), k, number(7)};
  const Rows places{std::move(*indices), k, number(9)};
  const bool largest = ReadAt<bool>(arguments[3]);
  return Computed(
      {.elements = count * size,
       .type = kernel.key,
       .inputs = {from.All(kernel.key)},
       .outputs = {{to.All(), kernel.key}, {places.All(), ScalarType::kInt64}},
       .compute = [=, type = kernel.key] {
         for (int64_t row = 0; row < count; ++row) {
           const auto order = OrderOf(from, row, type, largest);
           for (int64_t i = 0; i < k; ++i) {
             const int64_t place = order[static_cast<size_t>(i)];
             std::copy_n(from.At(row, place), SizeOf(type), to.At(row, i));
             StoreAs<int64_t>(ScalarType::kInt64, places.At(row, i), place);
           }
         }
       }});
}

// One element of each row, the k-th in its order, and its place.
DecodedLaunch TakeKth(const Rows& from, ScalarType type, int64_t k,
                      const TensorView& values, const TensorView& places) {
  const int64_t count = from.starts.elements();
  return Computed(
      {.elements = count * from.size,
       .type = type,
       .inputs = {from.All(type)},
       .outputs = {{values.All(), type}, {places.All(), ScalarType::kInt64}},
       .compute = [=] {
         for (int64_t row = 0; row < count; ++row) {
           const int64_t place =
               OrderOf(from, row, type, false)[static_cast<size_t>(k - 1)];
           std::copy_n(from.At(row, place), SizeOf(type), values.At(row));
           StoreAs<int64_t>(ScalarType::kInt64, places.At(row), place);
         }
       }});
}

// gatherKthValue<T, index, ..>(TensorInfo input, index size, index k, index
// rows, index stride, TensorInfo values, TensorInfo indices)
DecodedLaunch DecodeKth(const Kernel& kernel, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const size_t bytes = SizeOf(kernel.key);
  auto input = ReadTensorInfo(arguments[0], kernel.index, bytes);
  const auto values = ReadTensorInfo(arguments[5], kernel.index, bytes);
  const auto places =
      ReadTensorInfo(arguments[6], kernel.index, sizeof(int64_t));
  const auto number = [&](size_t i) {
    return ReadIndex(kernel.index, arguments[i]);
  };
  const int64_t size = number(1);
  const int64_t k = number(2);
  const int64_t count = number(3);
  if (!input || !values || !places || k < 1 || k > size || count < 1 ||
      input->elements() != count) {
    return {};
  }
  return TakeKth({std::move(*input), size, number(4)}, kernel.key, k, *values,
                 *places);
}

// gatherMedian<T, index, ..>(TensorInfo values, TensorInfo indices, TensorInfo
// input, index size, index rows, index stride, bool ignores NaN): of two in the
// middle the lower one.
DecodedLaunch DecodeMedian(const Kernel& kernel, const LaunchView& launch) {
  void* const* arguments = launch.arguments;
  const size_t bytes = SizeOf(kernel.key);
  const auto values = ReadTensorInfo(arguments[0], kernel.index, bytes);
  const auto places =
      ReadTensorInfo(arguments[1], kernel.index, sizeof(int64_t));
  auto input = ReadTensorInfo(arguments[2], kernel.index, bytes);
  const int64_t size = ReadIndex(kernel.index, arguments[3]);
  const int64_t count = ReadIndex(kernel.index, arguments[4]);
  const int64_t stride = ReadIndex(kernel.index, arguments[5]);
  if (!input || !values || !places || size < 1 || count < 1 ||
      input->elements() != count || IsReal(kernel.key)) {
    return {};
  }
  return TakeKth({std::move(*input), size, stride}, kernel.key, (size + 1) / 2,
                 *values, *places);
}

Decoder SortOf(const NameParts& kernel) {
  const bool radix = kernel.name.starts_with("radix");
  const auto& arguments = kernel.arguments;
  if (arguments.size() < (radix ? 7 : 8)) return {};
  Kernel found{.key = ScalarTypeNamed(arguments[4]),
               .value_bytes = SizeOfNamed(arguments[5]),
               .index = std::string(arguments[radix ? 6 : 7])};
  if (radix) {
    found.descending_parameter = 6;
  } else {
    found.descending = TakeApart(arguments[6]).name == "GTOp";
  }
  if (!IsComputed(found.key) || found.value_bytes != sizeof(int64_t)) return {};
  return DecodeBy(DecodeSort, found);
}

}  // namespace

Decoder RowSortDecoder(const NameParts& kernel) {
  if (kernel.name.ends_with("SortKVInPlace")) return SortOf(kernel);
  if (kernel.arguments.size() < 3) return {};
  const Kernel found{.key = ScalarTypeNamed(kernel.arguments[0]),
                     .value_bytes = sizeof(int64_t),
                     .index = std::string(kernel.arguments[1])};
  if (!IsComputed(found.key)) return {};
  if (kernel.name == "gatherKthValue") return DecodeBy(DecodeKth, found);
  if (kernel.name == "gatherMedian") return DecodeBy(DecodeMedian, found);
  const bool one_block =
      kernel.name == "gatherTopK" && kernel.scope.ends_with("sbtopk::");
  return one_block ? DecodeBy(DecodeTopK, found) : Decoder{};
}

}  // namespace dltap::simgpu
