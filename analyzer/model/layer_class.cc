// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/layer_class.h"

#include <array>
#include <cstddef>

namespace dltap::analyzer {
namespace {

constexpr std::array<std::string_view, 4> kJoinedByNames = {
    "correlation", "graph_node", "call_order", "none"};

constexpr std::array<std::string_view, 7> kClassFromNames = {
    "api_arguments", "cudnn_graph", "annotation", "launch_site",
    "kernel_name",   "composite",   "none"};

}  // namespace

std::string_view Name(JoinedBy j) {
  return kJoinedByNames[static_cast<size_t>(j)];
}
std::string_view Name(ClassFrom f) {
  return kClassFromNames[static_cast<size_t>(f)];
}

}  // namespace dltap::analyzer
