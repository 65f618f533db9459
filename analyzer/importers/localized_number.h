// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_LOCALIZED_NUMBER_H_
#define DLTAP_ANALYZER_IMPORTERS_LOCALIZED_NUMBER_H_

#include <optional>
#include <string_view>

namespace dltap::analyzer {

// The decimal sign that a printed number proves: what stands last of two
// different signs, or a single sign that is not followed by three digits.
// nullopt: it proves nothing ("1,234" may be either).
std::optional<char> DecimalSignOf(std::string_view number);

// "53,261,312" or "65.77" with '.', "27.595.520" or "65,77" with ','.
// nullopt: no number.
std::optional<double> ParseLocalized(std::string_view text, char decimal_sign);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_LOCALIZED_NUMBER_H_
