// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_ORIGIN_H_
#define DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_ORIGIN_H_

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

// Where an instruction of XLA comes from, as its NVTX range says beside its
// name: a line of HLO,
//   fusion.3 = f32[8]{0} fusion(...), calls=..., metadata={op_name="jit(f)/add"
// the lines of source that called for it, outermost first,
//   -- train.py:12:4[step]
// and the HLO of the computation that it calls. Views of the text.
// Lines that all of a module's instructions have in common are left out.
// Source: openxla/xla, xla/service/gpu/runtime/annotation.cc.
struct XlaOrigin {
  std::string_view path;                 // of the instruction; empty: not told
  std::vector<std::string_view> paths;   // of what it computes, or its own
  std::vector<std::string_view> frames;  // "train.py:12:4[step]"
  // Whether something of what it computes does more than move elements. Of long
  // computations only paths are kept: they do.
  bool computes = false;
};

XlaOrigin ParseXlaOrigin(std::string_view detail);

// What goes over rows, by the functions of JAX's that it is made of: a softmax,
// a normalisation or, if they tell neither, a reduction.
LayerClass ClassOfRows(const XlaOrigin& origin);

// The path in the name of a range of XLA; empty: it writes none.
std::string_view PathInName(std::string_view name);

// How XLA names a range for `path`, up to the name of the instruction.
std::string NameForPath(std::string_view path);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_XLA_XLA_ORIGIN_H_
