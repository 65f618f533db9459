// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_FRAMEWORK_H_
#define DLTAP_ANALYZER_ADVICE_FRAMEWORK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/metrics/tallies.h"

namespace dltap::analyzer {

enum class Framework : uint8_t { kUnknown, kTorch, kTensorflow, kJax, kMxnet };

// That of all processes with GPU work, as `names` tell; where they tell none or
// several, as its own kernels do. kUnknown where those differ.
Framework FrameworkOf(const std::vector<std::string>& names,
                      const Tallies& tallies);

// What to try, in the words of a framework's own options. Empty: the framework
// has none, and the general words serve.
struct Wording {
  std::string_view any;
  std::string_view torch = "";
  std::string_view tensorflow = "";
  std::string_view jax = "";
  std::string_view mxnet = "";

  std::string_view For(Framework framework) const;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_FRAMEWORK_H_
