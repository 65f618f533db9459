// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_SEEN_PLACES_H_
#define DLTAP_ANALYZER_ADVICE_SEEN_PLACES_H_

#include <optional>
#include <string>

#include "analyzer/advice/facts.h"

// What looks at Python's frames add to a rule.
namespace dltap::analyzer {

// The two places that cost most in that state: "a.py:7 load 13.49 ms, a.py:13
// log 5.06 ms". Empty: too few looks tell.
std::string SeenPlaces(const Facts& facts, SeenIn in);

// Of the looks in that state, those that found such code; nullopt: too few
// looks.
std::optional<double> SeenShare(const Facts& facts, SeenIn in, FrameRole role);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_SEEN_PLACES_H_
