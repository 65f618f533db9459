// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/softmax_size.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/attribution/names/template_text.h"

namespace dltap::analyzer {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// softmax_warp_*<input, output, accumulator, log2 of the columns, is log, ..>:
// a row of block threads handles a row, or two short ones.
void AddWarpRows(const std::vector<std::string_view>& arguments,
                 const LaunchShape& shape, SoftmaxSize& size) {
  constexpr size_t kLog2 = 3;
  constexpr int64_t kLast = 10;
  constexpr int64_t kLastOfTwoRows = 7;
  if (arguments.size() <= kLog2) return;
  const std::optional<int64_t> log2 = TemplateNumber(arguments[kLog2]);
  if (!log2 || *log2 < 0 || *log2 > kLast) return;
  const int64_t rows =
      int64_t{shape.block[1]} * (*log2 <= kLastOfTwoRows ? 2 : 1);
  const int64_t blocks = shape.grid[0];
  if (rows == 0 || blocks == 0) return;
  size.rows_least = (blocks - 1) * rows + 1;
  size.rows_most = blocks * rows;
  size.columns_most = int64_t{1} << *log2;
  size.columns_least = size.columns_most / 2 + 1;
}

}  // namespace

SoftmaxSize SizeOfSoftmax(std::string_view demangled,
                          const LaunchShape& shape) {
  SoftmaxSize size;
  if (Has(demangled, "softmax_warp_forward<") ||
      Has(demangled, "softmax_warp_backward<")) {
    constexpr size_t kIsLog = 4;
    const auto arguments = TemplateArguments(demangled);
    size.is_log = arguments.size() > kIsLog && arguments[kIsLog] == "true";
    AddWarpRows(arguments, shape, size);
  } else if (Has(demangled, "cunn_SoftMax")) {
    // A block for each row, of more than a warp keeps in registers.
    constexpr int64_t kShortest = 513;
    size.is_log = Has(demangled, "LogSoftMax");
    if (shape.grid[0] != 0) {
      size.rows_least = size.rows_most = shape.grid[0];
      size.columns_least = kShortest;
    }
  } else {
    size.is_log = Has(demangled, "LogSoftMax") || Has(demangled, "log_softmax");
  }
  return size;
}

bool MayBeOver(const SoftmaxSize& size, int64_t rows, int64_t columns) {
  if (size.is_log) return false;
  const int64_t appended = 2 * columns - 1;
  if (rows < size.rows_least || rows > size.rows_most) return false;
  if (appended < size.columns_least || columns > size.columns_most) {
    return false;
  }
  if (size.elements == 0) return true;
  const int64_t wide = size.elements / std::max<int64_t>(rows, 1);
  return wide * rows == size.elements && wide >= columns && wide <= appended;
}

}  // namespace dltap::analyzer
