// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_WAITS_H_
#define DLTAP_ANALYZER_ADVICE_WAITS_H_

#include "analyzer/advice/advice.h"
#include "analyzer/advice/facts.h"

// What rules about waits in the middle of a step share.
namespace dltap::analyzer {

// What a step loses by waits that leave the GPU idle so long, at least: half of
// what the host and the GPU could do beside each other, and of the waiting
// itself where the GPU has nothing to do.
double LeastGainOfWaits(const Facts& facts, const SignSums& idle);

// What an advice against waits saves, and claims: `least_ns` of a step at
// worst; at best `more_ns` and all idle time that waits and filling the queue
// again can cause. Input, sleep and other threads have their own advice.
void SetGainOfWaits(const Facts& facts, double least_ns, double more_ns,
                    Advice& advice);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_WAITS_H_
