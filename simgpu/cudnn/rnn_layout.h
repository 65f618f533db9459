// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_RNN_LAYOUT_H_
#define DLTAP_SIMGPU_CUDNN_RNN_LAYOUT_H_

#include <cstdint>
#include <optional>

#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {

// Where the parameters of an RNN lie in its weight space. All matrices of all
// pseudo-layers come first (a pseudo-layer is one direction of a layer): input
// matrices of all gates, recurrent ones, then the projection; all biases
// follow. Frameworks view the gates of a layer as one tensor, so that gates are
// adjacent.
class RnnLayout {
 public:
  explicit RnnLayout(const cudnnRNNStruct& rnn) : rnn_(rnn) {}

  struct Place {
    int64_t offset;  // elements from the start of the weight space
    int64_t rows;
    int64_t columns;
  };

  // By cudnnGetRNNWeightParams' numbers: 0..G-1 input, G..2G-1 recurrent, 2G
  // the projection; nullopt: the RNN has no such parameter.
  std::optional<Place> Matrix(int pseudo_layer, int id) const;
  std::optional<Place> Bias(int pseudo_layer, int id) const;

  int64_t elements() const { return MatrixElements() + BiasElements(); }
  int pseudo_layers() const { return rnn_.layers * directions(); }
  int gates() const;
  int directions() const;
  bool HasProjection() const;
  int64_t recurrent() const;  // size of the state that is fed back

 private:
  int64_t InputOf(int pseudo_layer) const;
  int64_t MatricesOf(int pseudo_layer) const;
  int64_t MatrixElements() const;
  int64_t BiasElements() const;
  int biases_per_gate() const;

  const cudnnRNNStruct& rnn_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_RNN_LAYOUT_H_
