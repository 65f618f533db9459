// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_WHAT_IF_STRAGGLERS_H_
#define DLTAP_ANALYZER_QUERY_WHAT_IF_STRAGGLERS_H_

#include <vector>

#include "analyzer/query/pipeline_replay.h"

namespace dltap::analyzer {

// What a step would be without the slowness of some.
struct StragglerShare {
  int id = 0;           // a rank, replica or stage
  double slowdown = 1;  // of the ideal step, when only its operations stay
};

struct WhatIfStragglers {
  double replayed_s = 0;  // mean step, as it was but without gaps
  double ideal_s = 0;     // all operations as long as usual
  std::vector<StragglerShare> replicas;
  std::vector<StragglerShare> stages;
  std::vector<StragglerShare> workers;  // the slowest first; the lesser of both
  // Shares of the slowdown that go when these are mended: above 1 when the
  // step gets better than the ideal one.
  std::vector<int> mended_workers;   // the worst 3 %, at least one
  double worker_share = 0;           // M_W; 0 where there is no slowdown
  std::vector<double> stage_shares;  // each stage alone; the last one is M_S

  double slowdown() const { return replayed_s / ideal_s; }
};

WhatIfStragglers FindStragglers(const PipelineReplay& replay);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_WHAT_IF_STRAGGLERS_H_
