// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_JOB_REPLAY_H_
#define DLTAP_ANALYZER_QUERY_JOB_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace dltap::analyzer {

// A job's ranks as programs of what they do by themselves, in ns of their own
// work, and of the collectives they meet in. Own work is all time but that in
// which a device only communicates: there it may wait for others.

// One kernel of communication on one rank; a group of sends and receives is
// several collectives.
struct ReplayTaking {
  std::vector<uint32_t> collectives;
  // Of each, what the rank does in it: the same number for the same kind (a
  // send is no receive), size and number of ranks.
  std::vector<uint32_t> parts = {};
  uint32_t stream = 0;  // of the rank; its takings run one after another
  double ready = 0;     // own work that was done when it could begin
  double resumed = -1;  // own work that goes on at its end; -1: nothing waits
  // The recorded order of both: by the rank's clock.
  int64_t ready_ns = 0;
  int64_t end_ns = 0;
};

struct ReplayStep {
  int64_t step = 0;
  double begin = 0;  // own work
  double end = 0;
  int64_t recorded_ns = 0;
};

// A device of a rank.
struct ReplayRank {
  int64_t rank = 0;
  int64_t device = 0;
  int64_t role = 0;                        // ranks of one role run the same
  std::vector<ReplayTaking> takings = {};  // by ready_ns
  std::vector<ReplayStep> steps = {};      // by begin
};

struct ReplayCollective {
  uint32_t members = 0;
  // The same for those of one kind, size, number of ranks and place among such
  // in their step.
  uint32_t alike = 0;
  double transfer = 0;  // ns from the last arrival on
};

struct ReplayJob {
  std::vector<ReplayRank> ranks;
  std::vector<ReplayCollective> collectives;
};

// How long a rank's own work takes in place of what was recorded: straight
// lines through (recorded, in the replay), both rising.
class OwnWork {
 public:
  void Add(double recorded, double replayed);
  double At(double recorded) const;

 private:
  struct Point {
    double recorded, replayed;
  };
  std::vector<Point> points_;
};

// Own work of each rank, and the transfer of each collective.
struct ReplayLengths {
  std::vector<OwnWork> own;
  std::vector<double> transfers;
};

struct ReplayResult {
  double mean_step_ns = 0;  // over steps, of the median over ranks
  // Ranks that waited for ever: of a collective some member never came.
  size_t stuck_ranks = 0;
};

// Of lengths by step.
double MeanOfMedians(const std::map<int64_t, std::vector<double>>& by_step);

ReplayResult ReplayOf(const ReplayJob& job, const ReplayLengths& lengths);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_JOB_REPLAY_H_
