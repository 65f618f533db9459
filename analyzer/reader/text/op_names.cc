// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/op_names.h"

#include <cstddef>
#include <iterator>

namespace dltap::analyzer {
namespace {

// Position is the enumerator's number.
constexpr std::string_view kOpKinds[] = {"unknown",
                                         "gemm",
                                         "conv_forward",
                                         "conv_backward_data",
                                         "conv_backward_weight",
                                         "rnn_forward",
                                         "rnn_backward_data",
                                         "rnn_backward_weight",
                                         "attention_forward",
                                         "attention_backward",
                                         "norm_forward",
                                         "norm_backward",
                                         "pool_forward",
                                         "pool_backward",
                                         "softmax_forward",
                                         "softmax_backward",
                                         "activation_forward",
                                         "activation_backward",
                                         "dropout_forward",
                                         "dropout_backward",
                                         "pointwise",
                                         "reduction",
                                         "layout",
                                         "rng",
                                         "copy",
                                         "memset",
                                         "collective",
                                         "embedding",
                                         "optimizer"};
static_assert(std::size(kOpKinds) ==
              static_cast<size_t>(opmodel::OpKind::kOptimizer) + 1);

constexpr std::string_view kDTypes[] = {
    "unknown", "f64",    "f32",    "tf32", "f16", "bf16",
    "f8e4m3",  "f8e5m2", "f4e2m1", "i8",   "i32", "i64",
    "u8",      "bool",   "c64",    "c128", "i16"};
static_assert(std::size(kDTypes) ==
              static_cast<size_t>(opmodel::DType::kI16) + 1);

constexpr std::string_view kCells[] = {"none", "relu", "tanh", "lstm", "gru"};

constexpr std::string_view kDims[] = {"batch",
                                      "m",
                                      "n",
                                      "k",
                                      "channels_in",
                                      "channels_out",
                                      "depth_in",
                                      "height_in",
                                      "width_in",
                                      "filter_depth",
                                      "filter_height",
                                      "filter_width",
                                      "depth_out",
                                      "height_out",
                                      "width_out",
                                      "groups",
                                      "seq",
                                      "input",
                                      "hidden",
                                      "proj",
                                      "layers",
                                      "directions",
                                      "heads",
                                      "kv_heads",
                                      "seq_q",
                                      "seq_kv",
                                      "head_dim",
                                      "head_dim_v",
                                      "causal",
                                      "elements_in",
                                      "elements_out",
                                      "rows",
                                      "trans_a",
                                      "trans_b"};
static_assert(std::size(kDims) == static_cast<size_t>(opmodel::Dim::kCount));

template <typename Enum, size_t kCount>
std::string_view NameIn(const std::string_view (&names)[kCount], Enum value) {
  const auto i = static_cast<size_t>(value);
  return i < kCount ? names[i] : "unknown";
}

template <typename Enum, size_t kCount>
std::optional<Enum> Find(const std::string_view (&names)[kCount],
                         std::string_view name) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(opmodel::OpKind kind) { return NameIn(kOpKinds, kind); }
std::string_view Name(opmodel::DType type) { return NameIn(kDTypes, type); }
std::string_view Name(opmodel::RnnCell cell) { return NameIn(kCells, cell); }
std::string_view Name(opmodel::Dim dim) { return NameIn(kDims, dim); }

std::optional<opmodel::OpKind> OpKindFromName(std::string_view name) {
  return Find<opmodel::OpKind>(kOpKinds, name);
}
std::optional<opmodel::DType> DTypeFromName(std::string_view name) {
  return Find<opmodel::DType>(kDTypes, name);
}
std::optional<opmodel::RnnCell> RnnCellFromName(std::string_view name) {
  return Find<opmodel::RnnCell>(kCells, name);
}
std::optional<opmodel::Dim> DimFromName(std::string_view name) {
  return Find<opmodel::Dim>(kDims, name);
}

}  // namespace dltap::analyzer
