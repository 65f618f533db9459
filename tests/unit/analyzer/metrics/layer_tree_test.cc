// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/layers/layer_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dltap::analyzer {
namespace {

constexpr size_t kKernels = 200;

// One op of as many kernels, whose names lie one after the other in memory.
LayerTree TreeOf(const OpKey& op, const std::vector<const std::string*>& of) {
  ProcessLayers layers;
  layers.of_activity.resize(kKernels);
  LayerTreeKeeper keeper(layers, 100);
  for (size_t i = 0; i < kKernels; ++i) {
    const Efficiency efficiency{.flops = 1e9 / (static_cast<double>(i) + 3),
                                .known_ns = 1};
    keeper.Add(i, {&op, of[i], true, true}, 1, efficiency);
  }
  LayerTree tree;
  keeper.AddTo(tree);
  return tree;
}

TEST(LayerTreeTest, SumsDoNotDependOnWhereRowsLieInMemory) {
  const OpKey op{"cublasSgemm", LayerClass::kGemm, Direction::kForward};
  std::vector<std::string> names;
  for (size_t i = 0; i < kKernels; ++i) {
    names.push_back("kernel_" + std::to_string(i));
  }
  const std::vector<std::string> backwards(names.rbegin(), names.rend());
  std::vector<const std::string*> first;
  std::vector<const std::string*> second;
  for (size_t i = 0; i < kKernels; ++i) {
    first.push_back(&names[i]);
    second.push_back(&backwards[kKernels - 1 - i]);
  }
  EXPECT_EQ(TreeOf(op, first), TreeOf(op, second));
}

}  // namespace
}  // namespace dltap::analyzer
