// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/rnn_layout.h"

namespace dltap::simgpu {

int RnnLayout::gates() const {
  switch (rnn_.cell) {
    case CUDNN_LSTM: return 4;
    case CUDNN_GRU: return 3;
    default: return 1;
  }
}

int RnnLayout::directions() const {
  return rnn_.direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
}

bool RnnLayout::HasProjection() const {
  return rnn_.cell == CUDNN_LSTM && rnn_.projection > 0 &&
         rnn_.projection != rnn_.hidden;
}

int64_t RnnLayout::recurrent() const {
  return HasProjection() ? rnn_.projection : rnn_.hidden;
}

int RnnLayout::biases_per_gate() const {
  switch (rnn_.bias) {
    case CUDNN_RNN_NO_BIAS: return 0;
    case CUDNN_RNN_DOUBLE_BIAS: return 2;
    default: return 1;
  }
}

int64_t RnnLayout::InputOf(int pseudo_layer) const {
  if (pseudo_layer >= directions()) return recurrent() * directions();
  return rnn_.input_mode == CUDNN_SKIP_INPUT ? 0 : rnn_.input;
}

int64_t RnnLayout::MatricesOf(int pseudo_layer) const {
  const int64_t per_gate = rnn_.hidden * (InputOf(pseudo_layer) + recurrent());
  return gates() * per_gate +
         (HasProjection() ? int64_t{rnn_.projection} * rnn_.hidden : 0);
}

int64_t RnnLayout::MatrixElements() const {
  int64_t elements = 0;
  for (int i = 0; i < pseudo_layers(); ++i) elements += MatricesOf(i);
  return elements;
}

int64_t RnnLayout::BiasElements() const {
  return int64_t{pseudo_layers()} * biases_per_gate() * gates() * rnn_.hidden;
}

std::optional<RnnLayout::Place> RnnLayout::Matrix(int pseudo_layer,
                                                  int id) const {
  int64_t offset = 0;
  for (int i = 0; i < pseudo_layer; ++i) offset += MatricesOf(i);
  const int64_t hidden = rnn_.hidden;
  const int64_t input = InputOf(pseudo_layer);
  if (id < gates()) {
    if (input == 0) return std::nullopt;
    return Place{offset + id * hidden * input, hidden, input};
  }
  offset += gates() * hidden * input;
  if (id < 2 * gates()) {
    return Place{offset + (id - gates()) * hidden * recurrent(), hidden,
                 recurrent()};
  }
  if (id > 2 * gates() || !HasProjection()) return std::nullopt;
  return Place{offset + gates() * hidden * recurrent(), recurrent(), hidden};
}

std::optional<RnnLayout::Place> RnnLayout::Bias(int pseudo_layer,
                                                int id) const {
  const int count = biases_per_gate() * gates();
  // One bias per gate: on the input side or on the recurrent side.
  const int first = rnn_.bias == CUDNN_RNN_SINGLE_REC_BIAS ? gates() : 0;
  if (id < first || id - first >= count) return std::nullopt;
  const int64_t position = int64_t{pseudo_layer} * count + (id - first);
  return Place{MatrixElements() + position * rnn_.hidden, rnn_.hidden, 1};
}

}  // namespace dltap::simgpu
