// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/localized_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace dltap::analyzer {
namespace {

constexpr size_t kGroup = 3;  // digits between signs of thousands

// Between thousands: French and Swiss locales of NVIDIA's tools. ',' and '.'
// are judged by themselves.
constexpr std::string_view kGroupSigns[] = {" ", "\u00A0", "\u202F", "'",
                                            "\u2019"};

std::string WithoutGroupSigns(std::string_view number) {
  std::string plain(number);
  for (const std::string_view sign : kGroupSigns) {
    size_t at = 0;
    while ((at = plain.find(sign, at)) != std::string::npos) {
      plain.erase(at, sign.size());
    }
  }
  return plain;
}

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789.,+-eE") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

std::optional<char> DecimalSignOf(std::string_view text) {
  const std::string plain = WithoutGroupSigns(text);
  const std::string_view number = plain;
  if (!IsNumber(number)) return std::nullopt;
  const size_t last = number.find_last_of(".,");
  if (last == std::string_view::npos) return std::nullopt;
  const char sign = number[last];
  const char other = sign == '.' ? ',' : '.';
  if (number.find(other) != std::string_view::npos) return sign;
  // Several of one kind separate thousands.
  if (number.find(sign) != last) return other;
  const std::string_view after = number.substr(last + 1);
  const bool leads_with_zero =
      number.starts_with("0") || number.starts_with("-0");
  const bool may_be_group =
      after.size() == kGroup && last > 0 && last <= kGroup && !leads_with_zero;
  return may_be_group ? std::nullopt : std::optional(sign);
}

std::optional<double> ParseLocalized(std::string_view text, char decimal_sign) {
  std::string plain = WithoutGroupSigns(text);
  if (!IsNumber(plain)) return std::nullopt;
  const char group = decimal_sign == '.' ? ',' : '.';
  plain.erase(std::remove(plain.begin(), plain.end(), group), plain.end());
  std::replace(plain.begin(), plain.end(), decimal_sign, '.');
  const char* begin = plain.data() + (plain[0] == '+' ? 1 : 0);
  const char* end = plain.data() + plain.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace dltap::analyzer
