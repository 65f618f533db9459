// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/job_replay.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "analyzer/metrics/base/median.h"

namespace dltap::analyzer {
namespace {

// What a rank comes to, in the order of its clock.
struct Event {
  int64_t at_ns;
  bool is_end;  // its own work goes on at the end of the taking; else: ready
  uint32_t taking;
  double own;  // in the replay
};

std::vector<Event> EventsOf(const ReplayRank& rank, const OwnWork& own) {
  std::vector<Event> events;
  for (uint32_t i = 0; i < rank.takings.size(); ++i) {
    const ReplayTaking& taking = rank.takings[i];
    events.push_back({taking.ready_ns, false, i, own.At(taking.ready)});
    if (taking.resumed < 0) continue;
    events.push_back({taking.end_ns, true, i, own.At(taking.resumed)});
  }
  std::stable_sort(
      events.begin(), events.end(), [](const Event& a, const Event& b) {
        return std::tie(a.at_ns, b.is_end) < std::tie(b.at_ns, a.is_end);
      });
  return events;
}

// A taking that is ready, and where it waits.
struct Waiting {
  uint32_t taking;
  double ready;
};

class RankState {
 public:
  RankState(const ReplayRank& rank, const OwnWork& own)
      : rank_(rank), events_(EventsOf(rank, own)), ends_(rank.takings.size()) {}

  const ReplayRank& rank() const { return rank_; }
  bool is_done() const { return next_ == events_.size(); }

  struct Arrival {
    uint32_t taking;
    double at;
  };

  // Goes on until it has to wait; says which takings begin to wait for the
  // other members.
  std::vector<Arrival> Advance() {
    std::vector<Arrival> arrivals;
    for (; next_ < events_.size(); ++next_) {
      const Event& event = events_[next_];
      if (event.is_end) {
        if (!ends_[event.taking]) break;
        waited_ = std::max(waited_, *ends_[event.taking] - event.own);
        waits_.push_back({event.own, waited_});
        continue;
      }
      Stream& stream = streams_[rank_.takings[event.taking].stream];
      stream.queue.push_back({event.taking, event.own + waited_});
      if (stream.queue.size() == 1) arrivals.push_back(First(stream));
    }
    return arrivals;
  }

  // The taking is over. Who comes next on its stream arrives.
  std::optional<Arrival> End(uint32_t taking, double at) {
    ends_[taking] = at;
    Stream& stream = streams_[rank_.takings[taking].stream];
    stream.free_at = at;
    stream.queue.pop_front();
    if (stream.queue.empty()) return std::nullopt;
    return First(stream);
  }

  // When so much own work was done.
  double TimeOf(double own) const {
    const auto after = std::upper_bound(
        waits_.begin(), waits_.end(), own,
        [](double value, const Wait& wait) { return value < wait.own; });
    return after == waits_.begin() ? own : own + std::prev(after)->waited;
  }

 private:
  struct Stream {
    std::deque<Waiting> queue;
    double free_at = 0;
  };
  struct Wait {
    double own, waited;
  };

  static Arrival First(const Stream& stream) {
    const Waiting& first = stream.queue.front();
    return {first.taking, std::max(first.ready, stream.free_at)};
  }

  const ReplayRank& rank_;
  const std::vector<Event> events_;
  std::vector<std::optional<double>> ends_;  // by taking
  std::map<uint32_t, Stream> streams_;
  std::vector<Wait> waits_;
  double waited_ = 0;
  size_t next_ = 0;
};

class Replayer {
 public:
  Replayer(const ReplayJob& job, const ReplayLengths& lengths)
      : job_(job), lengths_(lengths), meetings_(job.collectives.size()) {
    for (size_t i = 0; i < job.ranks.size(); ++i) {
      ranks_.emplace_back(job.ranks[i], lengths.own[i]);
      open_.emplace_back(job.ranks[i].takings.size());
    }
  }

  ReplayResult Run() {
    for (uint32_t rank = 0; rank < ranks_.size(); ++rank) Advance(rank);
    while (!met_.empty()) {
      const uint32_t collective = met_.front();
      met_.pop_front();
      Finish(collective);
    }
    ReplayResult result{.mean_step_ns = MeanStep()};
    result.stuck_ranks =
        std::count_if(ranks_.begin(), ranks_.end(),
                      [](const RankState& rank) { return !rank.is_done(); });
    return result;
  }

 private:
  struct Member {
    uint32_t rank, taking;
  };
  struct Meeting {
    std::vector<Member> arrived;
    double last = 0;
  };
  // How many of a taking's collectives go on, and the latest end of others.
  struct Open {
    uint32_t left = 0;
    double end = 0;
  };

  void Advance(uint32_t rank) {
    for (const RankState::Arrival& arrival : ranks_[rank].Advance()) {
      Arrive(rank, arrival);
    }
  }

  void Arrive(uint32_t rank, const RankState::Arrival& arrival) {
    const std::vector<uint32_t>& collectives =
        job_.ranks[rank].takings[arrival.taking].collectives;
    open_[rank][arrival.taking].left = collectives.size();
    for (const uint32_t collective : collectives) {
      Meeting& meeting = meetings_[collective];
      meeting.arrived.push_back({rank, arrival.taking});
      meeting.last = std::max(meeting.last, arrival.at);
      if (meeting.arrived.size() == job_.collectives[collective].members) {
        met_.push_back(collective);
      }
    }
  }

  void Finish(uint32_t collective) {
    const double end =
        meetings_[collective].last + lengths_.transfers[collective];
    for (const Member& member : meetings_[collective].arrived) {
      Open& open = open_[member.rank][member.taking];
      open.end = std::max(open.end, end);
      if (--open.left > 0) continue;
      const auto next = ranks_[member.rank].End(member.taking, open.end);
      if (next) Arrive(member.rank, *next);
      Advance(member.rank);
    }
  }

  double MeanStep() const {
    std::map<int64_t, std::vector<double>> by_step;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      for (const ReplayStep& step : job_.ranks[i].steps) {
        by_step[step.step].push_back(
            ranks_[i].TimeOf(lengths_.own[i].At(step.end)) -
            ranks_[i].TimeOf(lengths_.own[i].At(step.begin)));
      }
    }
    return MeanOfMedians(by_step);
  }

  const ReplayJob& job_;
  const ReplayLengths& lengths_;
  std::vector<RankState> ranks_;
  std::vector<std::vector<Open>> open_;  // by rank and taking
  std::vector<Meeting> meetings_;
  std::deque<uint32_t> met_;
};

}  // namespace

void OwnWork::Add(double recorded, double replayed) {
  points_.push_back({recorded, replayed});
}

double OwnWork::At(double recorded) const {
  if (points_.empty()) return recorded;
  const auto after = std::upper_bound(
      points_.begin(), points_.end(), recorded,
      [](double value, const Point& point) { return value < point.recorded; });
  if (after == points_.begin()) {
    return recorded - after->recorded + after->replayed;
  }
  const Point& before = *std::prev(after);
  const double since = recorded - before.recorded;
  if (after == points_.end()) return before.replayed + since;
  return before.replayed + since * (after->replayed - before.replayed) /
                               (after->recorded - before.recorded);
}

double MeanOfMedians(const std::map<int64_t, std::vector<double>>& by_step) {
  double sum = 0;
  for (const auto& [step, lengths] : by_step) sum += Median(lengths);
  return by_step.empty() ? 0 : sum / static_cast<double>(by_step.size());
}

ReplayResult ReplayOf(const ReplayJob& job, const ReplayLengths& lengths) {
  return Replayer(job, lengths).Run();
}

}  // namespace dltap::analyzer
