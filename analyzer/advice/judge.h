// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_JUDGE_H_
#define DLTAP_ANALYZER_ADVICE_JUDGE_H_

#include <string>
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

// Why it is not given whatever else is; empty: nothing speaks against it.
std::string Objection(const Found& found);

// Which of what was found is given, and why not the rest.
AdviceList Judge(std::vector<Found> found);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_JUDGE_H_
