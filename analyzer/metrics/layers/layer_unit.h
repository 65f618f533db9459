// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYERS_LAYER_UNIT_H_
#define DLTAP_ANALYZER_METRICS_LAYERS_LAYER_UNIT_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The rows of a report by layer: layers, and what no layer owns.
enum class LayerRow : uint8_t {
  kLayer,
  kUpdate,
  kCommunication,
  kInput,  // copies to the device
  kAutotune,
  kNoLayer,
  kBetweenSteps,  // gaps only
  kCount
};

enum class UnitSide : uint8_t { kForward, kBackward, kRecompute };

// One execution of an operation: a library call, an operator, a kernel, or a
// row of elementwise ones; backward, of both gradients.
struct LayerUnit {
  size_t lead = 0;    // its first activity
  int64_t at_ns = 0;  // when the host submitted that
  LayerClass layer_class = LayerClass::kUnattributed;
  UnitSide side = UnitSide::kForward;
  bool after_update = false;  // what runs between is of an update
  bool pointwise = false;     // elementwise and the like
  bool only_makes = true;  // fills, draws and numbers: nothing has a gradient
  // A sum over rows right after a product's gradients: that of its bias.
  bool sums_bias = false;
  // Copies and casts right after a product's gradients or these sums: the
  // gradients of those in front of the forward product, perhaps.
  bool moves_gradient = false;
  // Such a unit right before a layer whose glue it may be as well.
  bool may_be_glue = false;
  // What kernels of it do with rows by index: the gradient of reading them is
  // to sum them up where they came from, that of adding them is to read them.
  bool reads_rows = false;
  bool adds_rows = false;
  bool sums_rows = false;
  uint32_t moves = 0;     // copies and casts in it
  uint32_t works = 0;     // library calls or operators in it
  bool only_sums = true;  // of two gradients where paths meet; also if empty
  uint32_t kind = 0;      // equal: the same kind of work, whatever its sizes
  uint32_t form = 0;      // equal: of the same sizes, too
  // Elementwise and the like: the kinds of its kernels' names (KernelKinds).
  std::vector<size_t> names;
  // Of operands, where a library call tells them; forward: weights and input.
  // 0: unknown.
  std::vector<uint64_t> addresses;
  std::vector<int64_t> sequences;  // of autograd's nodes
  RangeId module;                  // forward: the call of an nn.Module around
  RangeId label;                   // forward: the user's range around

  // 0: not known, or no weight.
  uint64_t weight() const { return addresses.empty() ? 0 : addresses[0]; }
};

// Arithmetic that one call or operator does alone.
bool IsLayerProduct(LayerClass layer_class);
// Elementwise and the like: a whole row of it is one unit.
bool IsElementwiseLike(LayerClass layer_class);
// Fills, copies and casts right before it are its own.
bool OwnsGlue(LayerClass layer_class);
// What an activity counts for; kLayer: a layer owns it, if one is found.
LayerRow LayerRowOf(const Attributed& attributed);
UnitSide SideOf(Direction direction);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYERS_LAYER_UNIT_H_
