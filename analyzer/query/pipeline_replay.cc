// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/pipeline_replay.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "absl/status/status.h"

namespace dltap::analyzer {
namespace {

using Kind = OperationKind;
using Column = std::vector<double>;

// A transfer that ends before the last member came: clocks differ.
constexpr double kWrongClockSeconds = 0.01;

bool IsComputing(Kind kind) {
  return kind == Kind::kForwardCompute || kind == Kind::kBackwardCompute ||
         kind == Kind::kOptimizer || kind == Kind::kGarbageCollection;
}

double MedianOf(Column values) {
  const size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + half, values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + half)) / 2;
}

double MeanOf(const Column& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

// The latest of all replicas, in each step.
void SpreadOverReplicas(Column& times, size_t replicas) {
  for (size_t step = 0; step < times.size(); step += replicas) {
    const auto first = times.begin() + static_cast<ptrdiff_t>(step);
    const auto last = first + static_cast<ptrdiff_t>(replicas);
    std::fill(first, last, *std::max_element(first, last));
  }
}

void KeepLatest(Column& times, const Column& others) {
  for (size_t i = 0; i < times.size(); ++i) {
    times[i] = std::max(times[i], others[i]);
  }
}

struct WholeSteps {
  std::map<int64_t, size_t> place;  // by step, from 0
  size_t left_out = 0;
};

// Those in which each replica does as much as any does in any step. Garbage is
// collected when there is some.
WholeSteps FindWholeSteps(const std::vector<PipelineOperation>& operations,
                          int replicas) {
  std::map<std::pair<int64_t, int>, std::set<PipelineNode>> seen;
  for (const PipelineOperation& o : operations) {
    if (o.kind == Kind::kGarbageCollection) continue;
    seen[{o.step, o.replica}].insert({o.kind, o.sequence, o.stage});
  }
  size_t most = 0;
  for (const auto& [key, nodes] : seen) most = std::max(most, nodes.size());
  std::map<int64_t, int> whole;
  for (const auto& [key, nodes] : seen) {
    whole[key.first] += nodes.size() == most ? 1 : 0;
  }
  WholeSteps found;
  for (const auto& [step, n] : whole) {
    if (n == replicas) {
      found.place.emplace(step, found.place.size());
    } else {
      ++found.left_out;
    }
  }
  return found;
}

// One step of one replica, and each collection of garbage of any.
std::vector<PipelineOperation> OneOfEach(
    const std::vector<PipelineOperation>& operations, int64_t step) {
  std::vector<PipelineOperation> found;
  for (const PipelineOperation& o : operations) {
    if (o.replica == 0 && o.step == step) found.push_back(o);
  }
  for (const PipelineOperation& o : operations) {
    if (o.kind == Kind::kGarbageCollection) found.push_back(o);
  }
  return found;
}

}  // namespace

absl::StatusOr<PipelineReplay> PipelineReplay::Make(
    const std::vector<PipelineOperation>& operations, bool replicated) {
  PipelineReplay replay;
  for (const PipelineOperation& o : operations) {
    if (o.replica < 0 || o.stage < 0) {
      return absl::InvalidArgumentError("a replica or stage below 0");
    }
    replay.replicas_ = std::max(replay.replicas_, o.replica + 1);
  }
  const WholeSteps whole = FindWholeSteps(operations, replay.replicas_);
  const std::map<int64_t, size_t>& place = whole.place;
  replay.steps_ = place.size();
  replay.left_out_steps_ = whole.left_out;
  if (place.empty()) {
    return absl::InvalidArgumentError(
        "no step has all operations of all replicas");
  }
  absl::StatusOr<PipelineGraph> graph = MakePipelineGraph(
      OneOfEach(operations, place.begin()->first), replicated);
  if (!graph.ok()) return graph.status();
  replay.graph_ = *std::move(graph);
  const size_t columns = replay.steps_ * static_cast<size_t>(replay.replicas_);
  std::vector<Column> begins(replay.graph_.nodes.size(), Column(columns));
  std::vector<Column> ends = begins;
  replay.ranks_.resize(replay.graph_.stages * replay.replicas_);
  for (const PipelineOperation& o : operations) {
    const auto step = place.find(o.step);
    if (step == place.end()) continue;
    const auto node = replay.graph_.index.find({o.kind, o.sequence, o.stage});
    if (node == replay.graph_.index.end()) {
      return absl::InvalidArgumentError("replicas do different operations");
    }
    const size_t column = step->second * replay.replicas_ + o.replica;
    begins[node->second][column] = o.begin_s;
    ends[node->second][column] = o.end_s();
    replay.ranks_[o.stage * replay.replicas_ + o.replica] = o.rank;
  }
  replay.Measure(begins, ends);
  return replay;
}

int PipelineReplay::rank(int stage, int replica) const {
  return ranks_[stage * replicas_ + replica];
}

void PipelineReplay::Measure(const std::vector<Column>& begins,
                             const std::vector<Column>& ends) {
  const size_t columns = steps_ * static_cast<size_t>(replicas_);
  lengths_.assign(graph_.nodes.size(), Column(columns));
  for (const PipelineMeeting& meeting : graph_.meetings) {
    Column last = begins[meeting.nodes.front()];
    for (const size_t node : meeting.nodes) KeepLatest(last, begins[node]);
    if (meeting.over_replicas) SpreadOverReplicas(last, replicas_);
    for (const size_t node : meeting.nodes) {
      for (size_t i = 0; i < columns; ++i) {
        const double length = ends[node][i] - last[i];
        lengths_[node][i] = length <= -kWrongClockSeconds ? 0 : length;
      }
    }
  }
  double sum = 0;
  for (size_t step = 0; step < steps_; ++step) {
    double begin = std::numeric_limits<double>::infinity();
    double end = -begin;
    for (size_t node = 0; node < begins.size(); ++node) {
      for (size_t i = step * replicas_; i < (step + 1) * replicas_; ++i) {
        begin = std::min(begin, begins[node][i]);
        end = std::max(end, ends[node][i]);
      }
    }
    sum += end - begin;
  }
  mean_recorded_s_ = sum / static_cast<double>(steps_);
}

OperationLengths PipelineReplay::Usual() const {
  std::map<Kind, Column> all;
  for (size_t node = 0; node < lengths_.size(); ++node) {
    Column& column = all[graph_.nodes[node].kind];
    column.insert(column.end(), lengths_[node].begin(), lengths_[node].end());
  }
  std::map<Kind, double> usual;
  for (const auto& [kind, column] : all) {
    usual[kind] = IsComputing(kind) ? MeanOf(column) : MedianOf(column);
  }
  OperationLengths lengths = lengths_;
  for (size_t node = 0; node < lengths.size(); ++node) {
    std::fill(lengths[node].begin(), lengths[node].end(),
              usual[graph_.nodes[node].kind]);
  }
  return lengths;
}

double PipelineReplay::MeanStep(const OperationLengths& lengths) const {
  const size_t columns = steps_ * static_cast<size_t>(replicas_);
  std::vector<Column> ends(graph_.nodes.size());
  Column last(columns, 0);
  for (const PipelineMeeting& meeting : graph_.meetings) {
    Column begin(columns, 0);
    for (const size_t node : meeting.nodes) {
      for (const size_t need : graph_.needs[node]) {
        KeepLatest(begin, ends[need]);
      }
    }
    if (meeting.over_replicas) SpreadOverReplicas(begin, replicas_);
    for (const size_t node : meeting.nodes) {
      ends[node] = begin;
      for (size_t i = 0; i < columns; ++i) ends[node][i] += lengths[node][i];
      KeepLatest(last, ends[node]);
    }
  }
  SpreadOverReplicas(last, replicas_);
  return MeanOf(last);
}

OperationLengths PipelineReplay::With(
    const OperationLengths& to, const OperationLengths& from,
    const std::function<bool(const PipelineNode&, int)>& chosen) const {
  OperationLengths lengths = to;
  for (size_t node = 0; node < lengths.size(); ++node) {
    for (size_t i = 0; i < lengths[node].size(); ++i) {
      const int replica = static_cast<int>(i % replicas_);
      if (chosen(graph_.nodes[node], replica)) lengths[node][i] = from[node][i];
    }
  }
  return lengths;
}

}  // namespace dltap::analyzer
