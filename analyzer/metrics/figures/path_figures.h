// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_PATH_FIGURES_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_PATH_FIGURES_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/metrics/summary/summary.h"

namespace dltap::analyzer {

// One thing on the critical path: a class, or what is between the devices'
// work.
struct PathRow {
  std::string name;
  bool is_class = false;
  double step_ns = 0;
  std::optional<double> share = {};  // of the path
  double forward_step_ns = 0;        // of classes
  double backward_step_ns = 0;
  double update_step_ns = 0;
};

// What a step would take if something were faster.
struct WhatIfRow {
  Scenario scenario;
  double step_ns = 0;
  double change = 0;  // of the step: -0.12 is 12 % shorter
};

struct PathFigures {
  std::vector<PathRow> rows;  // what is on the path, most first
  double step_ns = 0;         // their sum
  uint64_t replayed_windows = 0;
  // How far the replay with nothing changed is from what was measured; the
  // rows below are given where it is small enough.
  std::optional<double> replay_error;
  bool trusted = false;
  std::vector<WhatIfRow> what_if;  // by what it saves, most first
};

// Over the windows of all devices.
PathSums PathOf(const Summary& summary);

PathFigures PathFiguresOf(const Summary& summary);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_PATH_FIGURES_H_
