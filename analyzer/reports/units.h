// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_UNITS_H_
#define DLTAP_ANALYZER_REPORTS_UNITS_H_

#include <optional>
#include <string>

#include "analyzer/reports/render.h"
#include "analyzer/reports/table.h"

// The units in which people read numbers: the only arithmetic of the reports.
namespace dltap::analyzer {

inline constexpr double kSecondsPerNs = 1e-9;
inline constexpr double kMsPerNs = 1e-6;
inline constexpr double kUsPerNs = 1e-3;
inline constexpr double kMibPerByte = 0x1p-20;
inline constexpr double kPercent = 100;

// Two digits after the point, one from 100 ms on.
inline Number Milliseconds(double ns) {
  return {ns * kMsPerNs, ns < 1e8 ? 2 : 1};
}

// Nothing where there is no ratio.
inline Cell PercentCell(std::optional<double> ratio) {
  if (!ratio) return Blank{};
  return Number{*ratio * kPercent, 1};
}

// `?` where the number is not known.
inline Cell KnownCell(std::optional<double> value, double scale, int decimals) {
  if (!value) return Unknown{};
  return Number{*value * scale, decimals};
}

inline std::string Ms(double ns) {
  const Number ms = Milliseconds(ns);
  return Fixed(ms.value, ms.decimals);
}

// As tools of the vendor print memory.
inline Number Mebibytes(double bytes) { return {bytes * kMibPerByte, 1}; }

inline std::string MibText(double bytes) {
  return Fixed(Mebibytes(bytes).value, 1) + " MiB";
}

inline std::string PercentText(std::optional<double> ratio, int decimals = 1) {
  return (ratio ? Fixed(*ratio * kPercent, decimals) : "?") + " %";
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_UNITS_H_
