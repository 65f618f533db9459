// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/advice.h"

namespace dltap::analyzer {

std::string_view Name(GainBasis basis) {
  return basis == GainBasis::kMeasured ? "measured" : "model";
}

}  // namespace dltap::analyzer
