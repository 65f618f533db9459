// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/op_rows.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "opmodel/modelled_time.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using opmodel::RnnCell;

constexpr int64_t kLargestDimension = INT32_MAX;
constexpr int64_t kMostElements = int64_t{1} << 53;
constexpr int64_t kMostInputs = 1000;
constexpr int64_t kMostLayers = 10000;

struct Precision {
  std::string_view name;
  DType storage;
  DType math;
};
// fp16mixed and pseudo_fp16 are DeepBench's names: FP16 tensors on tensor
// cores, and FP16 tensors computed in FP32.
constexpr Precision kPrecisions[] = {
    {"fp32", DType::kF32, DType::kF32},
    {"tf32", DType::kF32, DType::kTf32},
    {"fp16", DType::kF16, DType::kF16},
    {"fp16mixed", DType::kF16, DType::kF16},
    {"pseudo_fp16", DType::kF16, DType::kF32},
    {"bf16", DType::kBf16, DType::kBf16},
    {"fp8", DType::kF8E4M3, DType::kF8E4M3},
    {"int8", DType::kI8, DType::kI8},
    {"fp64", DType::kF64, DType::kF64},
};

// Reads the dimensions of one operation from its columns; after the first
// problem the rest is skipped and status() holds it.
class DimensionReader {
 public:
  explicit DimensionReader(const RowFields& row) : row_(row) {}

  int64_t Read(std::string_view column, int64_t least = 1,
               int64_t missing = -1) {
    if (!status_.ok()) return 0;
    const absl::StatusOr<int64_t> value = row_.Integer(column, least, missing);
    if (!value.ok()) status_ = value.status();
    return value.value_or(0);
  }

  void Limit(std::string_view column, int64_t value, int64_t most) {
    if (value <= most) return;
    Fail(row_.Error(column, absl::StrCat(value),
                    absl::StrCat("at most ", most)));
  }

  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const absl::Status& status() const { return status_; }
  const RowFields& row() const { return row_; }

 private:
  const RowFields& row_;
  absl::Status status_;
};

// A BLAS call: D of m x n. Transposed operands of published sheets are left
// out: the model's one term for it is about today's cuBLAS under a framework's
// linear layer.
void FillGemm(DimensionReader& reader, Operation& op) {
  op[Dim::kBatch] = 1;
  op[Dim::kM] = reader.Read("m");
  op[Dim::kN] = reader.Read("n");
  op[Dim::kK] = reader.Read("k");
}

// Row-major B x M x N @ B x N x K: for BLAS the contiguous K is m.
void FillBmm(DimensionReader& reader, Operation& op) {
  op[Dim::kBatch] = reader.Read("b");
  op[Dim::kM] = reader.Read("k");
  op[Dim::kN] = reader.Read("m");
  op[Dim::kK] = reader.Read("n");
}

// (B, M, N) -> K with a weight of K x N, which BLAS sees transposed.
void FillLinear(DimensionReader& reader, Operation& op) {
  op[Dim::kBatch] = 1;
  op[Dim::kM] = reader.Read("k");
  op[Dim::kN] = reader.Read("b") * reader.Read("m");
  op[Dim::kK] = reader.Read("n");
  op[Dim::kTransA] = 1;
}

// Output size of a convolution; an error when the filter does not fit.
int64_t OutputSize(DimensionReader& reader, std::string_view size_column,
                   int64_t size, int64_t padding, int64_t filter,
                   int64_t stride) {
  if (!reader.status().ok()) return 0;
  if (size + 2 * padding < filter) {
    reader.Fail(
        reader.row().Error(size_column, absl::StrCat(size),
                           absl::StrCat("at least ", filter - 2 * padding,
                                        " for a filter of ", filter)));
    return 0;
  }
  return (size + 2 * padding - filter) / stride + 1;
}

// s is the filter's width and r its height; pad_w, stride_1 go with the width.
void FillConv(DimensionReader& reader, Operation& op) {
  op[Dim::kBatch] = reader.Read("n");
  op[Dim::kChannelsIn] = reader.Read("c");
  op[Dim::kChannelsOut] = reader.Read("k");
  op[Dim::kWidthIn] = reader.Read("w");
  op[Dim::kHeightIn] = reader.Read("h");
  op[Dim::kFilterWidth] = reader.Read("s");
  op[Dim::kFilterHeight] = reader.Read("r");
  op[Dim::kGroups] = reader.Read("groups", 1, 1);
  const int64_t pad_w = reader.Read("pad_w", 0, 0);
  const int64_t pad_h = reader.Read("pad_h", 0, 0);
  const int64_t stride_w = reader.Read("stride_1", 1, 1);
  const int64_t stride_h = reader.Read("stride_2", 1, 1);
  op[Dim::kWidthOut] = OutputSize(reader, "w", op[Dim::kWidthIn], pad_w,
                                  op[Dim::kFilterWidth], stride_w);
  op[Dim::kHeightOut] = OutputSize(reader, "h", op[Dim::kHeightIn], pad_h,
                                   op[Dim::kFilterHeight], stride_h);
}

RnnCell CellOf(std::string_view name) {
  if (name == "lstm") return RnnCell::kLstm;
  if (name == "gru") return RnnCell::kGru;
  if (name == "vanilla" || name == "tanh") return RnnCell::kTanh;
  if (name == "relu") return RnnCell::kRelu;
  return RnnCell::kNone;
}

// Without a column `input` the input is added without a matrix: DeepBench runs
// its RNNs with CUDNN_SKIP_INPUT.
void FillRnn(DimensionReader& reader, Operation& op) {
  const std::string_view cell = reader.row().Text("cell");
  op.cell = CellOf(cell);
  if (op.cell == RnnCell::kNone) {
    reader.Fail(
        reader.row().Error("cell", cell, "vanilla, relu, tanh, lstm or gru"));
  }
  op[Dim::kHidden] = reader.Read("hidden");
  op[Dim::kBatch] = reader.Read("batch");
  op[Dim::kSeq] = reader.Read("timesteps");
  op[Dim::kInput] = reader.Read("input", 0, 0);
  op[Dim::kProj] = reader.Read("proj", 0, 0);
  op[Dim::kLayers] = reader.Read("layers", 1, 1);
  reader.Limit("layers", op[Dim::kLayers], kMostLayers);
  op[Dim::kDirections] = reader.Read("directions", 1, 1);
  reader.Limit("directions", op[Dim::kDirections], 2);
}

// Grouped queries where kv_heads is below heads.
void FillAttention(DimensionReader& reader, Operation& op) {
  op[Dim::kBatch] = reader.Read("b");
  op[Dim::kHeads] = reader.Read("heads");
  op[Dim::kKvHeads] = reader.Read("kv_heads", 1, op[Dim::kHeads]);
  op[Dim::kSeqQ] = reader.Read("seq_q");
  op[Dim::kSeqKv] = reader.Read("seq_kv", 1, op[Dim::kSeqQ]);
  op[Dim::kHeadDim] = op[Dim::kHeadDimV] = reader.Read("head_dim");
  op[Dim::kCausal] = reader.Read("causal", 0, 0);
}

void FillRows(DimensionReader& reader, int64_t inputs, Operation& op) {
  const int64_t rows = reader.Read("b");
  const int64_t width = reader.Read("h");
  if (inputs > kMostInputs ||
      rows > kMostElements / std::max<int64_t>(1, width)) {
    reader.Fail(reader.row().Error("b", absl::StrCat(rows),
                                   "fewer elements and inputs"));
    return;
  }
  op[Dim::kRows] = rows;
  op[Dim::kElementsIn] = inputs * rows * width;
  op[Dim::kElementsOut] = rows * width;
}

void FillRowOp(DimensionReader& reader, Operation& op) {
  FillRows(reader, 1, op);
}

void FillBinary(DimensionReader& reader, Operation& op) {
  FillRows(reader, 2, op);
}

// Inputs of an elementwise operation: the column `inputs`, else two where
// `function` names one of two tensors, else what PyTorch's kernel name says
// ("Array<char*, 3>" is one output and two inputs), else one.
void FillElementwise(DimensionReader& reader, Operation& op) {
  constexpr std::string_view kTensors = "Array<char*, ";
  const std::string_view kernel = reader.row().Text("kernel");
  const std::string_view function = reader.row().Text("function");
  const bool binary = function == "add" || function == "sub" ||
                      function == "mul" || function == "div" ||
                      function == "pow";
  int64_t from_name = binary ? 2 : 1;
  if (const size_t at = kernel.find(kTensors); at != kernel.npos) {
    const size_t digit = at + kTensors.size();
    if (digit < kernel.size() && kernel[digit] > '1' && kernel[digit] <= '9') {
      from_name = kernel[digit] - '1';
    }
  }
  FillRows(reader, reader.Read("inputs", 1, from_name), op);
}

// A framework's operator dispatches, allocates its results and only then
// launches, all of it after the first event. Intercepts of measured time over
// bytes in NeuSight's traces (PyTorch 2.1), alike on its four GPUs: elementwise
// 16 to 21 us, softmax 21 to 29, layer norm (three results) 31 to 41; linear
// (weight transposed, bias) by its shortest rows.
constexpr double kCallNs = opmodel::kLaunchLatencyNs;  // a library's own call
constexpr double kElementwiseNs = 16'000;
constexpr double kSoftmaxNs = 22'000;
constexpr double kNormNs = 33'000;
constexpr double kLinearNs = 33'000;
constexpr double kBmmNs = 12'000;

struct OpFormat {
  std::string_view name;
  OpKind kind;
  void (*fill)(DimensionReader& reader, Operation& op);
  double host_ns = kCallNs;
};
constexpr OpFormat kFormats[] = {
    {"gemm", OpKind::kGemm, FillGemm},
    {"bmm", OpKind::kGemm, FillBmm, kBmmNs},
    {"linear", OpKind::kGemm, FillLinear, kLinearNs},
    {"conv_forward", OpKind::kConvForward, FillConv},
    {"conv_backward_data", OpKind::kConvBackwardData, FillConv},
    {"conv_backward_weight", OpKind::kConvBackwardWeight, FillConv},
    {"rnn_forward", OpKind::kRnnForward, FillRnn},
    {"rnn_backward_data", OpKind::kRnnBackwardData, FillRnn},
    {"rnn_backward_weight", OpKind::kRnnBackwardWeight, FillRnn},
    {"attention_forward", OpKind::kAttentionForward, FillAttention},
    {"attention_backward", OpKind::kAttentionBackward, FillAttention},
    {"elementwise", OpKind::kPointwise, FillElementwise, kElementwiseNs},
    {"layer_norm", OpKind::kNormForward, FillRowOp, kNormNs},
    {"softmax", OpKind::kSoftmaxForward, FillRowOp, kSoftmaxNs},
    // Names of the NeuSight set; a trailing u is a scalar second operand.
    {"ln", OpKind::kNormForward, FillRowOp, kNormNs},
    {"add", OpKind::kPointwise, FillBinary, kElementwiseNs},
    {"mul", OpKind::kPointwise, FillBinary, kElementwiseNs},
    {"div", OpKind::kPointwise, FillBinary, kElementwiseNs},
    {"pow", OpKind::kPointwise, FillBinary, kElementwiseNs},
    {"addu", OpKind::kPointwise, FillRowOp, kElementwiseNs},
    {"mulu", OpKind::kPointwise, FillRowOp, kElementwiseNs},
    {"divu", OpKind::kPointwise, FillRowOp, kElementwiseNs},
    {"powu", OpKind::kPointwise, FillRowOp, kElementwiseNs},
    {"relu", OpKind::kPointwise, FillRowOp, kElementwiseNs},
    {"gelu", OpKind::kPointwise, FillRowOp, kElementwiseNs},
    {"tanh", OpKind::kPointwise, FillRowOp, kElementwiseNs},
};

template <typename Table>
auto FindByName(const Table& table, std::string_view name)
    -> decltype(&table[0]) {
  for (const auto& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string_view RowFields::Text(std::string_view column) const {
  const int index = table_.ColumnIndex(column);
  return index < 0 ? std::string_view() : row_.fields[index];
}

absl::StatusOr<int64_t> RowFields::Integer(std::string_view column,
                                           int64_t least,
                                           int64_t missing) const {
  const std::string_view text = Text(column);
  if (text.empty() && missing >= least) return missing;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < least ||
      value > kLargestDimension) {
    return Error(column, text, absl::StrCat("an integer of at least ", least));
  }
  return value;
}

absl::Status RowFields::Error(std::string_view column, std::string_view found,
                              std::string_view expected) const {
  const std::string_view op = column == "op" ? "the row" : Text("op");
  const std::string what =
      table_.ColumnIndex(column) < 0
          ? absl::StrFormat("%s needs column '%s', which is missing", op,
                            column)
          : absl::StrFormat("column '%s' of %s is '%s'", column, op, found);
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s:%d: %s; expected %s", path_, row_.line, what, expected));
}

double HostNsOf(const RowFields& row) {
  const OpFormat* format = FindByName(kFormats, row.Text("op"));
  return format == nullptr ? 0 : format->host_ns;
}

absl::StatusOr<Operation> OperationOf(const RowFields& row) {
  const OpFormat* format = FindByName(kFormats, row.Text("op"));
  if (format == nullptr) {
    return row.Error("op", row.Text("op"),
                     "gemm, bmm, linear, conv_forward, conv_backward_data, "
                     "conv_backward_weight, rnn_forward, rnn_backward_data, "
                     "rnn_backward_weight, attention_forward, attention_backward, "
                     "elementwise, layer_norm or softmax");
  }
  const std::string_view name = row.Text("precision");
  const Precision* precision =
      FindByName(kPrecisions, name.empty() ? "fp32" : name);
  if (precision == nullptr) {
    return row.Error("precision", name,
                     "fp32, tf32, fp16, fp16mixed, pseudo_fp16, bf16, fp8, "
                     "int8 or fp64");
  }
  Operation op;
  op.kind = format->kind;
  op.storage = precision->storage;
  op.math = precision->math;
  DimensionReader reader(row);
  format->fill(reader, op);
  if (!reader.status().ok()) return reader.status();
  return op;
}

}  // namespace dltap::analyzer
