// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_LAYER_CLASS_H_
#define DLTAP_ANALYZER_MODEL_LAYER_CLASS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace dltap::analyzer {

// The X-list is the order of reports when times are equal.
#define DLTAP_LAYER_CLASSES(X)                                                \
  X(kConv, "conv")                                                            \
  X(kRnn, "rnn")                                                              \
  X(kAttention, "attention") X(kGemm, "gemm") X(kNorm, "norm")                \
      X(kPool, "pool") X(kActivation, "activation") X(kSoftmax, "softmax")    \
          X(kLoss, "loss") X(kEmbedding, "embedding")                         \
              X(kElementwise, "elementwise") X(kReduction, "reduction")       \
                  X(kDropout, "dropout") X(kOptimizer, "optimizer")           \
                      X(kMoe, "moe") X(kLayout, "layout") X(kComm, "comm")    \
                          X(kCopyH2d, "copy_h2d") X(kCopyD2h, "copy_d2h")     \
                              X(kCopyD2d, "copy_d2d") X(kCopyP2p, "copy_p2p") \
                                  X(kMemset, "memset") X(kOther, "other")     \
                                      X(kUnattributed, "unattributed")

#define DLTAP_DIRECTIONS(X)                                               \
  X(kNone, "none")                                                        \
  X(kForward, "forward")                                                  \
  X(kBackwardData, "backward_data") X(kBackwardWeight, "backward_weight") \
      X(kBackward, "backward") X(kRecompute, "recompute") X(kUpdate, "update")

enum class LayerClass : uint8_t {
#define X(id, name) id,
  DLTAP_LAYER_CLASSES(X)
#undef X
      kCount
};

enum class Direction : uint8_t {
#define X(id, name) id,
  DLTAP_DIRECTIONS(X)
#undef X
      kCount
};

// How a device activity was joined to the host call that caused it.
enum class JoinedBy : uint8_t {
  kCorrelation,
  kGraphNode,
  kCallOrder,
  kNone,
  kCount
};

// What the class of an activity rests on, strongest first.
enum class ClassFrom : uint8_t {
  kApiArguments,
  kCudnnGraph,
  kAnnotation,
  kLaunchSite,
  kKernelName,
  kComposite,
  kNone,
  kCount
};

std::string_view Name(LayerClass c);  // as in the JSON report: "copy_h2d"
std::string_view Name(Direction d);
std::string_view Name(JoinedBy j);
std::string_view Name(ClassFrom f);
std::optional<LayerClass> LayerClassFromName(std::string_view name);
std::optional<Direction> DirectionFromName(std::string_view name);

constexpr bool IsCopyOrMemset(LayerClass c) {
  return c >= LayerClass::kCopyH2d && c <= LayerClass::kMemset;
}
constexpr bool IsBackward(Direction d) {
  return d >= Direction::kBackwardData && d <= Direction::kRecompute;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_LAYER_CLASS_H_
