// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_XLA_TAPE_SCOPES_H_
#define DLTAP_ANALYZER_ATTRIBUTION_XLA_TAPE_SCOPES_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace dltap::analyzer {

// An operation of TensorFlow's, as its NVTX range says:
// "StatefulPartitionedCall/model/dense/MatMul:MatMul". Views of the name.
// Source: tensorflow/core/framework/op_kernel.cc, OpKernel::TraceString.
struct GraphOperation {
  std::string_view path;  // its name in the graph, of scopes
  std::string_view type;
};

// nullopt: it is the name of something else. XLA's and TSL's own begin with a
// word and have their parts between "#".
std::optional<GraphOperation> ParseGraphOperation(std::string_view name);

// The scopes of TensorFlow's graphs, and the passes that follow from them. The
// gradient of "a/dense/MatMul" is called "a/gradient_tape/dense/MatMul/MatMul"
// or, where a function is differentiated as a whole,
// "a/gradients/dense/MatMul_grad/MatMul", "a/" being the calls around it. So a
// scope of which a gradient exists is of the forward pass. Of those of which
// none exists, one that adds to variables or subtracts from them is an
// optimizer, and one that multiplies is a layer whose gradient nobody needs;
// one that does both may be either.
class TapeScopes {
 public:
  // Paths and operations of the program, in any order, before any question.
  void Add(std::string_view path);
  void Add(const GraphOperation& operation);

  // Whether gradients were seen.
  bool any() const { return !differentiated_.empty(); }
  static bool IsGradient(std::string_view path);
  // Whether a gradient exists of the scope of `path`, or of the operation.
  bool IsDifferentiated(std::string_view path) const;
  // Whether `path` stands in an optimizer's scope, or a layer's without one.
  bool IsUpdate(std::string_view path) const;
  bool IsOtherLayer(std::string_view path) const;

 private:
  std::set<std::string, std::less<>> differentiated_;
  std::set<std::string, std::less<>> writing_;  // that change variables
  std::set<std::string, std::less<>> multiplying_;
};

// Whether such an operation belongs to an update wherever it stands.
bool IsUpdate(const GraphOperation& operation);
// Whether the type of one that runs outside of graphs, where operations are
// called as their types, is that of a gradient.
bool IsGradientByType(const GraphOperation& operation);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_XLA_TAPE_SCOPES_H_
