// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/job_replay_input.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/query/many_rows.h"
#include "analyzer/query/own_clock.h"
#include "analyzer/query/question.h"

namespace dltap::analyzer {
namespace {

using Settings = std::map<std::string, std::string>;

absl::StatusOr<ManyRows> AskSql(Dataset& dataset, const std::string& sql) {
  ColumnStore rows({});
  const absl::Status status =
      dataset.Query(sql, [&rows](const ResultColumns& columns) -> RowSink& {
        rows = ColumnStore(columns);
        return rows;
      });
  if (!status.ok()) return status;
  return ManyRows(std::move(rows));
}

// A query of replay/, with those of the settings that it has.
absl::StatusOr<ManyRows> Ask(Dataset& dataset, std::string_view name,
                             const Settings& settings) {
  for (const QueryFile& file : QueryFiles()) {
    if (file.name != name) continue;
    const absl::StatusOr<Question> question =
        ParseQuestion(file.name, file.text);
    if (!question.ok()) return question.status();
    Settings own;
    for (const Parameter& parameter : question->parameters) {
      const auto set = settings.find(parameter.name);
      if (set != settings.end()) own.insert(*set);
    }
    const absl::StatusOr<std::string> sql = SqlOf(*question, own);
    if (!sql.ok()) return sql.status();
    return AskSql(dataset, *sql);
  }
  return absl::InternalError(absl::StrCat(std::string(name), " is not there"));
}

absl::Status CheckSettings(const Settings& settings) {
  for (const auto& [name, value] : settings) {
    if (name == "run" || name == "from_step" || name == "to_step") continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--set ", name, ": a replay has run, from_step and to_step"));
  }
  return absl::OkStatus();
}

absl::Status CheckOneRun(Dataset& dataset, const Settings& settings) {
  if (settings.contains("run")) return absl::OkStatus();
  const absl::StatusOr<ManyRows> runs =
      AskSql(dataset, "SELECT DISTINCT run FROM steps ORDER BY run");
  if (!runs.ok()) return runs.status();
  if (runs->rows() <= 1) return absl::OkStatus();
  std::vector<std::string> names;
  for (size_t row = 0; row < runs->rows(); ++row) {
    names.push_back(runs->Text(0, row));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--set run=NAME chooses one of ", absl::StrJoin(names, ", "),
                   ": one run is replayed"));
}

constexpr int64_t kKernelsAtOnce = 1'000'000;  // 40 bytes each

using DeviceOf = std::pair<int64_t, int64_t>;  // rank, device

struct Window {
  int64_t step, begin_ns, end_ns;
};

// A row of replay/meetings.
struct Meeting {
  uint32_t collective, alike;
  int64_t begin_ns, end_ns;
  double transfer_ns;
  uint32_t part;
};

// What is known of a device before its kernels are read.
struct Frame {
  int64_t role = 0;
  int64_t kernels_of_rank = 0;  // in all steps, on all devices
  std::vector<Window> windows;
  std::vector<Meeting> meetings;

  bool Covers(int64_t time_ns) const {
    return time_ns >= windows.front().begin_ns &&
           time_ns < windows.back().end_ns;
  }
};

class JobReader {
 public:
  JobReader(Dataset& dataset, Settings settings)
      : dataset_(dataset), settings_(std::move(settings)) {}

  absl::StatusOr<ReplayJob> Read() {
    absl::Status status = ReadSteps();
    if (status.ok()) status = ReadMeetings();
    for (auto at = frames_.begin(); status.ok() && at != frames_.end();) {
      const auto end = EndOfBatch(at);
      status = ReadRanks(at, end);
      at = end;
    }
    if (!status.ok()) return status;
    return std::move(job_);
  }

 private:
  using Frames = std::map<DeviceOf, Frame>;

  // Of ranks that are read at once: each question opens the files of all.
  Frames::iterator EndOfBatch(Frames::iterator begin) {
    int64_t kernels = 0;
    auto end = begin;
    while (end != frames_.end()) {
      const int64_t rank = end->first.first;
      kernels += end->second.kernels_of_rank;
      if (end != begin && kernels > kKernelsAtOnce) break;
      while (end != frames_.end() && end->first.first == rank) ++end;
    }
    return end;
  }

  absl::Status ReadSteps() {
    const absl::StatusOr<ManyRows> rows =
        Ask(dataset_, "replay/steps", settings_);
    if (!rows.ok()) return rows.status();
    for (size_t row = 0; row < rows->rows(); ++row) {
      Frame& frame = frames_[{rows->Integer(0, row), rows->Integer(1, row)}];
      frame.role = rows->Integer(2, row);
      frame.kernels_of_rank = rows->Integer(6, row);
      frame.windows.push_back({rows->Integer(3, row), rows->Integer(4, row),
                               rows->Integer(5, row)});
    }
    if (!frames_.empty()) return absl::OkStatus();
    return absl::DataLossError("no used steps: there is nothing to replay");
  }

  absl::Status ReadMeetings() {
    const absl::StatusOr<ManyRows> rows =
        Ask(dataset_, "replay/meetings", settings_);
    if (!rows.ok()) return rows.status();
    for (size_t row = 0; row < rows->rows(); ++row) {
      const auto frame =
          frames_.find({rows->Integer(0, row), rows->Integer(1, row)});
      const Meeting meeting = {static_cast<uint32_t>(rows->Integer(2, row)),
                               static_cast<uint32_t>(rows->Integer(3, row)),
                               rows->Integer(4, row),
                               rows->Integer(5, row),
                               rows->Real(6, row),
                               static_cast<uint32_t>(rows->Integer(7, row))};
      if (frame == frames_.end() || !frame->second.Covers(meeting.begin_ns)) {
        continue;
      }
      frame->second.meetings.push_back(meeting);
      if (meeting.collective >= job_.collectives.size()) {
        job_.collectives.resize(meeting.collective + 1);
      }
      ReplayCollective& collective = job_.collectives[meeting.collective];
      ++collective.members;
      collective.alike = meeting.alike;
      collective.transfer = meeting.transfer_ns;
    }
    if (!job_.collectives.empty()) return absl::OkStatus();
    return absl::DataLossError(
        "no collectives in the used steps that ranks can be matched by");
  }

  absl::Status ReadRanks(Frames::iterator begin, Frames::iterator end) {
    Settings settings = settings_;
    settings["from_rank"] = absl::StrCat(begin->first.first);
    settings["to_rank"] = absl::StrCat(std::prev(end)->first.first);
    const absl::StatusOr<ManyRows> rows =
        Ask(dataset_, "replay/activities", settings);
    if (!rows.ok()) return rows.status();
    size_t row = 0;
    for (auto at = begin; at != end; ++at) {
      const std::vector<DeviceActivity> activities =
          ActivitiesOf(at->first, *rows, row);
      if (std::ranges::all_of(activities, &DeviceActivity::is_communication)) {
        return absl::DataLossError(
            absl::StrCat("rank ", at->first.first,
                         " has no kernels but collectives: what it does "
                         "beside them is not known"));
      }
      AddDevice(at->first, at->second, activities);
    }
    return absl::OkStatus();
  }

  // `row` goes on to the first of the devices after it.
  static std::vector<DeviceActivity> ActivitiesOf(const DeviceOf& device,
                                                  const ManyRows& rows,
                                                  size_t& row) {
    std::vector<DeviceActivity> activities;
    for (; row < rows.rows(); ++row) {
      const DeviceOf owner = {rows.Integer(0, row), rows.Integer(1, row)};
      if (owner > device) break;
      if (owner < device) continue;  // without used steps
      activities.push_back({.stream = rows.Integer(2, row),
                            .begin_ns = rows.Integer(3, row),
                            .end_ns = rows.Integer(4, row),
                            .is_communication = rows.Flag(5, row),
                            .asked_ns = rows.MaybeInteger(6, row)});
    }
    return activities;
  }

  void AddDevice(const DeviceOf& device, const Frame& frame,
                 const std::vector<DeviceActivity>& activities) {
    const OwnClock clock(activities);
    const double base = clock.At(frame.windows.front().begin_ns);
    ReplayRank rank = {
        .rank = device.first, .device = device.second, .role = frame.role};
    for (const Window& window : frame.windows) {
      rank.steps.push_back({.step = window.step,
                            .begin = clock.At(window.begin_ns) - base,
                            .end = clock.At(window.end_ns) - base,
                            .recorded_ns = window.end_ns - window.begin_ns});
    }
    const std::vector<int64_t> ready = ReadyTimes(activities);
    for (const Meeting& meeting : frame.meetings) {
      const size_t place = PlaceOf(meeting, activities);
      if (place == activities.size()) continue;
      AddTaking(meeting, activities[place], ready[place], clock, base, rank);
    }
    std::stable_sort(rank.takings.begin(), rank.takings.end(),
                     [](const ReplayTaking& a, const ReplayTaking& b) {
                       return a.ready_ns < b.ready_ns;
                     });
    job_.ranks.push_back(std::move(rank));
  }

  static size_t PlaceOf(const Meeting& meeting,
                        const std::vector<DeviceActivity>& activities) {
    const auto at = std::lower_bound(
        activities.begin(), activities.end(),
        std::pair(meeting.begin_ns, meeting.end_ns),
        [](const DeviceActivity& activity, const auto& value) {
          return std::pair(activity.begin_ns, activity.end_ns) < value;
        });
    for (auto found = at;
         found != activities.end() && found->begin_ns == meeting.begin_ns &&
         found->end_ns == meeting.end_ns;
         ++found) {
      if (found->is_communication) return found - activities.begin();
    }
    return activities.size();
  }

  // Meetings come by begin: those of one kernel after each other.
  static void AddTaking(const Meeting& meeting, const DeviceActivity& activity,
                        int64_t ready_ns, const OwnClock& clock, double base,
                        ReplayRank& rank) {
    const auto stream = static_cast<uint32_t>(activity.stream);
    if (!rank.takings.empty()) {
      ReplayTaking& last = rank.takings.back();
      if (last.stream == stream && last.ready_ns == ready_ns &&
          last.end_ns == meeting.end_ns) {
        last.collectives.push_back(meeting.collective);
        last.parts.push_back(meeting.part);
        return;
      }
    }
    rank.takings.push_back({.collectives = {meeting.collective},
                            .parts = {meeting.part},
                            .stream = stream,
                            .ready = clock.At(ready_ns) - base,
                            .resumed = clock.GoesOnAt(meeting.end_ns)
                                           ? clock.At(meeting.end_ns) - base
                                           : -1,
                            .ready_ns = ready_ns,
                            .end_ns = meeting.end_ns});
  }

  Dataset& dataset_;
  const Settings settings_;
  Frames frames_;
  ReplayJob job_;
};

}  // namespace

absl::StatusOr<ReplayJob> ReadReplayJob(
    Dataset& dataset, const std::map<std::string, std::string>& settings) {
  absl::Status status = CheckSettings(settings);
  if (status.ok()) status = CheckOneRun(dataset, settings);
  if (!status.ok()) return status;
  return JobReader(dataset, settings).Read();
}

}  // namespace dltap::analyzer
