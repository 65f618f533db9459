// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_TRUST_INPUTS_H_
#define DLTAP_ANALYZER_ADVICE_TRUST_INPUTS_H_

#include <cstdint>
#include <string>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/facts.h"

namespace dltap::analyzer {

// Why the trace can't be trusted in what an advice needs (a sum of Needs), in
// few words; empty: it can.
std::string WhyNotTrusted(const Facts& facts, uint8_t needs,
                          const Advice& advice);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_TRUST_INPUTS_H_
