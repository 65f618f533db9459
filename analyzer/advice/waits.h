// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_WAITS_H_
#define DLTAP_ANALYZER_ADVICE_WAITS_H_

#include "analyzer/advice/advice.h"
#include "analyzer/advice/facts.h"

// What rules about waits in the middle of a step share.
namespace dltap::analyzer {

// At worst of a step: half of what the host and the GPU could do beside each
// other, and of the waiting itself where the GPU has nothing to do.
double LeastGainOfWaits(const Facts& facts, const SignSums& idle);

// All idle time that waits and filling the queue again can cause: the most that
// goes, and what the advice claims. Input, sleep and other threads have their
// own advice.
double ClaimIdleOfWaits(const Facts& facts, Claims& claims);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_WAITS_H_
