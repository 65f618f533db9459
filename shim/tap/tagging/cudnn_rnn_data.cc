// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_rnn_data.h"

#include <cstdint>

#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::Operation;

[[gnu::section("dltap_at_load")]] constinit RealFunction<
    decltype(&::cudnnGetRNNDataDescriptor)>
    g_get_rnn_data("cudnnGetRNNDataDescriptor");

// Sequences of larger batches count as if none were shorter.
constexpr int kLongestBatch = 1024;

// Steps of all sequences together; 0 where none is shorter than `seq`.
int64_t RowsOf(int seq, int batch, const int* lengths) {
  int64_t rows = 0;
  for (int i = 0; i < batch; ++i) rows += lengths[i];
  return rows == int64_t{seq} * batch ? 0 : rows;
}

}  // namespace

// cuDNN wants room for each value that it may write, wanted or not, and no
// more lengths asked for than there are sequences.
RnnInput FillRnnData(void* descriptor, Operation* op) {
  const auto get = g_get_rnn_data.Get();
  if (get == nullptr) return {};
  const auto data = static_cast<cudnnRNNDataDescriptor_t>(descriptor);
  RnnInput input;
  cudnnRNNDataLayout_t layout{};
  int seq = 0, batch = 0;
  int lengths[kLongestBatch];
  alignas(double) uint8_t padding[16];  // one element of any type
  if (get(data, &input.type, &layout, &seq, &batch, &input.width, 0, lengths,
          padding) != CUDNN_STATUS_SUCCESS) {
    return {};
  }
  (*op)[Dim::kSeq] = seq;
  (*op)[Dim::kBatch] = batch;
  if (batch <= 0 || batch > kLongestBatch) return input;
  if (get(data, &input.type, &layout, &seq, &batch, &input.width, batch,
          lengths, padding) == CUDNN_STATUS_SUCCESS) {
    (*op)[Dim::kRows] = RowsOf(seq, batch, lengths);
  }
  return input;
}

}  // namespace dltap::shim::tagging
