// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_WORDING_H_
#define DLTAP_ANALYZER_ADVICE_WORDING_H_

#include <string_view>

#include "analyzer/metrics/classes/framework.h"

namespace dltap::analyzer {

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

#endif  // DLTAP_ANALYZER_ADVICE_WORDING_H_
