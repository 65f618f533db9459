// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_CHANGE_H_
#define DLTAP_ANALYZER_COMPARE_CHANGE_H_

#include <array>
#include <optional>
#include <vector>

namespace dltap::analyzer {

// A number of one run. `samples` are its values step by step, where it was
// measured in each; empty: it was counted, or there are no steps.
struct Measured {
  std::optional<double> value;  // nullopt: unknown
  std::vector<double> samples = {};
};

// A number of two runs, and by how much it differs. Unknown is nullopt.
struct Change {
  std::optional<double> base;
  std::optional<double> now;
  std::optional<double> change;    // now - base
  std::optional<double> relative;  // change / base; nullopt too where base is 0
  // Where the change lies with a probability of 95 %; nullopt: it was counted,
  // or there are too few steps.
  std::optional<std::array<double, 2>> interval;

  bool differs() const { return change.value_or(0) != 0; }
  // Differs, and the interval, where there is one, says so.
  bool is_significant() const {
    return differs() && (!interval || (*interval)[0] > 0 || (*interval)[1] < 0);
  }
  // Half the width of the interval; nullopt where there is none.
  std::optional<double> margin() const;
};

// The interval is Welch's, of as many steps as would tell as much if they were
// independent: neighbours are alike. ChangeOf(b, a) is ChangeOf(a, b) with the
// signs turned.
Change ChangeOf(const Measured& base, const Measured& now);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_CHANGE_H_
