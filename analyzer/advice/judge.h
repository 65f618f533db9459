// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_JUDGE_H_
#define DLTAP_ANALYZER_ADVICE_JUDGE_H_

#include <vector>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/facts.h"
#include "analyzer/advice/rules.h"

namespace dltap::analyzer {

struct Found {
  const Rule* rule;
  const Facts* facts;  // that it was found in
  Advice advice;
};

// Which of what was found is given, and why not the rest. `program` holds the
// facts of all devices.
AdviceList Judge(const Facts& program, std::vector<Found> found);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_JUDGE_H_
