// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/layer_class.h"

#include <array>
#include <cstddef>

namespace dltap::analyzer {
namespace {

constexpr std::array kClassNames = {
#define X(id, name) std::string_view(name),
    DLTAP_LAYER_CLASSES(X)
#undef X
};

constexpr std::array kDirectionNames = {
#define X(id, name) std::string_view(name),
    DLTAP_DIRECTIONS(X)
#undef X
};

constexpr std::array<std::string_view, 4> kJoinedByNames = {
    "correlation", "graph_node", "call_order", "none"};

constexpr std::array<std::string_view, 7> kClassFromNames = {
    "api_arguments", "cudnn_graph", "annotation", "launch_site",
    "kernel_name",   "composite",   "none"};

template <typename Enum, size_t kSize>
std::optional<Enum> Find(const std::array<std::string_view, kSize>& names,
                         std::string_view name) {
  for (size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(LayerClass c) {
  return kClassNames[static_cast<size_t>(c)];
}
std::string_view Name(Direction d) {
  return kDirectionNames[static_cast<size_t>(d)];
}
std::string_view Name(JoinedBy j) {
  return kJoinedByNames[static_cast<size_t>(j)];
}
std::string_view Name(ClassFrom f) {
  return kClassFromNames[static_cast<size_t>(f)];
}
std::optional<LayerClass> LayerClassFromName(std::string_view name) {
  return Find<LayerClass>(kClassNames, name);
}
std::optional<Direction> DirectionFromName(std::string_view name) {
  return Find<Direction>(kDirectionNames, name);
}

}  // namespace dltap::analyzer
