// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_NEAR_NAMES_H_
#define DLTAP_ANALYZER_OUTPUT_NEAR_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace dltap::analyzer {

// Those of `known` that somebody may have meant who typed `typed`: longer or
// shorter forms of it, what begins alike, and what the fewest slips of the
// fingers lead to. A few at most, in the order of `known`.
std::vector<std::string> NearNames(std::string_view typed,
                                   const std::vector<std::string>& known);

// "; did you mean h100-pcie, h100-sxm?", or nothing where nothing is near.
std::string DidYouMean(std::string_view typed,
                       const std::vector<std::string>& known);

// The same, then all: "; did you mean a100? known are: a100, l4".
std::string WhatThereIs(std::string_view typed,
                        const std::vector<std::string>& known);

// `text`, then what to do next: "; see", but "? See" reads as "? see".
std::string AndThen(const std::string& text, const std::string& next);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_NEAR_NAMES_H_
