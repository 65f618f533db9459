// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/collective_match.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyzer/metrics/collectives/clock_alignment.h"

namespace dltap::analyzer {
namespace {

// Ranks whose ends do not belong together are nearer to each other than this
// many times what those of the right one are.
constexpr int64_t kClearlyWorse = 3;
constexpr int64_t kFineNs = 1'000;

// The runs of one collective, one of each rank that the trace has.
struct Event {
  struct Part {
    size_t run;
    int64_t begin_ns;  // on the clock of the communicator's first member
    int64_t end_ns;
  };
  std::vector<Part> parts;
};

class Matcher {
 public:
  Matcher(const TraceModel& model, const CollectiveRuns& runs)
      : model_(model), runs_(runs) {
    out_.runs.resize(runs.runs.size());
  }

  CollectiveMatches Run() {
    Join();
    for (size_t c = 0; c < out_.communicators.size(); ++c) {
      SetRanks(out_.communicators[c]);
      Match(c);
    }
    if (!spreads_.empty()) {
      const auto middle =
          spreads_.begin() + static_cast<ptrdiff_t>(spreads_.size() / 2);
      std::nth_element(spreads_.begin(), middle, spreads_.end());
      out_.residual_ns = *middle;
    }
    return std::move(out_);
  }

 private:
  const LocalCommunicator& Local(size_t local) const {
    return runs_.locals[local];
  }

  RunSequence SequenceOf(size_t local) const {
    RunSequence sequence;
    for (const size_t run : Local(local).runs) {
      if (!IsPairwise(local, run)) sequence.push_back(&runs_.runs[run]);
    }
    return sequence;
  }

  // A send or receive that not all ranks take part in.
  bool IsPairwise(size_t local, size_t run) const {
    return !runs_.runs[run].peers.empty() && Local(local).ranks != 2 &&
           Local(local).rank >= 0;
  }

  // All that runs on the devices of a process, in time.
  RunSequence AllOf(size_t process) const {
    RunSequence sequence;
    for (const CollectiveRun& run : runs_.runs) {
      if (Local(run.local).process == process) sequence.push_back(&run);
    }
    std::stable_sort(sequence.begin(), sequence.end(),
                     [](const CollectiveRun* a, const CollectiveRun* b) {
                       return a->span < b->span;
                     });
    return sequence;
  }

  // Where one communicator has too few kernels, those of all tell how the
  // clocks of two ranks differ.
  std::optional<Pairing> PairOf(size_t a, size_t b) {
    const RunSequence of_a = SequenceOf(a);
    const RunSequence of_b = SequenceOf(b);
    auto pairing = Pair(of_a, of_b, OneClock(a, b));
    if (pairing || OneClock(a, b)) return pairing;
    const std::pair processes(Local(a).process, Local(b).process);
    const auto [it, is_new] = clocks_.try_emplace(processes);
    if (is_new) {
      const auto all =
          Pair(AllOf(processes.first), AllOf(processes.second), false);
      if (all) it->second = all->offset_ns;
    }
    return it->second ? PairWith(of_a, of_b, *it->second) : std::nullopt;
  }

  size_t IndexOf(const CollectiveRun* run) const {
    return static_cast<size_t>(run - runs_.runs.data());
  }

  bool OneClock(size_t a, size_t b) const {
    if (Local(a).process == Local(b).process) return true;
    const std::string& host = model_.processes[Local(a).process].host;
    return !host.empty() && host == model_.processes[Local(b).process].host;
  }

  // What the clocks of two ranks may be wrong by.
  int64_t MarginOf(size_t a, size_t b) const {
    return model_.processes[Local(a).process].clock_residual_ns +
           model_.processes[Local(b).process].clock_residual_ns;
  }

  // By what they are called, where that was recorded; else by their ends.
  void Join() {
    std::map<std::string, size_t> by_id;
    std::vector<size_t> unnamed;
    for (size_t l = 0; l < runs_.locals.size(); ++l) {
      if (Local(l).id.empty()) {
        unnamed.push_back(l);
        continue;
      }
      const auto [it, is_new] =
          by_id.try_emplace(Local(l).id, out_.communicators.size());
      if (is_new) out_.communicators.emplace_back();
      out_.communicators[it->second].members.push_back(l);
    }
    for (const size_t local : unnamed) JoinByEnds(local);
  }

  void JoinByEnds(size_t local) {
    std::vector<std::pair<int64_t, size_t>> fits;  // spread, communicator
    for (size_t c = 0; c < out_.communicators.size(); ++c) {
      const size_t first = out_.communicators[c].members.front();
      if (!MayJoin(c, local)) continue;
      const auto pairing = PairOf(first, local);
      if (pairing) fits.emplace_back(pairing->spread_ns, c);
    }
    std::sort(fits.begin(), fits.end());
    const bool is_clear =
        fits.size() == 1 ||
        (fits.size() > 1 &&
         fits[1].first > kClearlyWorse * fits[0].first + kFineNs);
    if (is_clear) {
      out_.communicators[fits.front().second].members.push_back(local);
      return;
    }
    for (const auto& [spread, c] : fits) out_.communicators[c].ambiguous = true;
    out_.communicators.push_back({{local}, 0, !fits.empty()});
  }

  // Not where the communicator is complete, or has the same device.
  bool MayJoin(size_t communicator, size_t local) const {
    const std::vector<size_t>& members =
        out_.communicators[communicator].members;
    const LocalCommunicator& of = Local(local);
    return std::all_of(members.begin(), members.end(), [&](size_t member) {
      const LocalCommunicator& other = Local(member);
      return (other.id.empty() ||
              other.ranks > static_cast<int>(members.size())) &&
             (other.process != of.process || other.device != of.device);
    });
  }

  // Where it was not recorded: of the world, or of what has a name, when the
  // whole world is here.
  void SetRanks(Communicator& communicator) const {
    std::set<size_t> processes;
    for (const size_t member : communicator.members) {
      communicator.ranks = std::max(communicator.ranks, Local(member).ranks);
      processes.insert(Local(member).process);
    }
    if (communicator.ranks > 0 || communicator.ambiguous) return;
    const std::optional<int> world = WorldSize();
    if (!world) return;
    const bool is_named = !Local(communicator.members.front()).id.empty();
    if (is_named || processes.size() == static_cast<size_t>(*world)) {
      communicator.ranks = static_cast<int>(communicator.members.size());
    }
  }

  // If the trace has every rank of it.
  std::optional<int> WorldSize() const {
    std::set<int> ranks;
    std::optional<int> world;
    for (const Process& process : model_.processes) {
      if (!process.rank || !process.world_size) continue;
      if (world && *world != *process.world_size) return std::nullopt;
      world = process.world_size;
      ranks.insert(*process.rank);
    }
    if (!world || ranks.size() != static_cast<size_t>(*world)) {
      return std::nullopt;
    }
    return world;
  }

  void Match(size_t c) {
    const std::vector<size_t>& members = out_.communicators[c].members;
    for (const size_t member : members) {
      for (const size_t run : Local(member).runs) {
        out_.runs[run].communicator = c;
      }
    }
    if (members.size() < 2) return;
    const RunSequence first = SequenceOf(members[0]);
    std::map<size_t, Event> events;  // by position in `first`
    std::vector<std::optional<int64_t>> offsets{0};
    int64_t margin_ns = 0;
    for (size_t m = 1; m < members.size(); ++m) {
      const bool one_clock = OneClock(members[0], members[m]);
      const RunSequence other = SequenceOf(members[m]);
      const auto pairing = PairOf(members[0], members[m]);
      offsets.push_back(one_clock ? std::optional<int64_t>(0) : std::nullopt);
      if (!pairing) continue;
      offsets.back() = pairing->offset_ns;
      margin_ns = std::max(
          {margin_ns, MarginOf(members[0], members[m]),
           one_clock && pairing->offset_ns == 0 ? 0 : pairing->spread_ns});
      spreads_.push_back(pairing->spread_ns);
      for (const auto& [i, j] : pairing->pairs) {
        Event& event = events[i];
        if (event.parts.empty()) Add(first[i], 0, event);
        Add(other[j], pairing->offset_ns, event);
      }
    }
    const Communicator& communicator = out_.communicators[c];
    for (const auto& [i, event] : events) {
      const bool is_whole =
          communicator.is_whole() && event.parts.size() == members.size();
      Judge(event, is_whole, margin_ns);
      for (const Event::Part& part : event.parts) {
        if (is_whole) out_.runs[part.run].collective = IndexOf(first[i]);
      }
    }
    MatchTransfers(members, offsets, margin_ns);
  }

  void Add(const CollectiveRun* run, int64_t offset_ns, Event& event) const {
    event.parts.push_back({IndexOf(run), run->span.begin_ns + offset_ns,
                           run->span.end_ns + offset_ns});
  }

  // Sends and receives between some of the ranks: the n-th of each pair.
  void MatchTransfers(const std::vector<size_t>& members,
                      const std::vector<std::optional<int64_t>>& offsets,
                      int64_t margin_ns) {
    std::map<size_t, Event> events;  // by run
    for (size_t a = 0; a < members.size(); ++a) {
      for (size_t b = a + 1; b < members.size(); ++b) {
        if (!offsets[a] || !offsets[b]) continue;
        const RunSequence of_a = TransfersWith(members[a], members[b]);
        const RunSequence of_b = TransfersWith(members[b], members[a]);
        const int64_t offset = *offsets[b] - *offsets[a];
        Pairing pairing;
        if (OneClock(members[a], members[b])) {
          pairing = PairByNumber(of_a, of_b);
        }
        if (pairing.pairs.empty()) pairing = PairAt(of_a, of_b, offset);
        for (const auto& [i, j] : pairing.pairs) {
          for (const auto& [run, own, other, other_offset] :
               {std::tuple(of_a[i], *offsets[a], of_b[j], *offsets[b]),
                std::tuple(of_b[j], *offsets[b], of_a[i], *offsets[a])}) {
            Event& event = events[IndexOf(run)];
            if (event.parts.empty()) Add(run, own, event);
            Add(other, other_offset, event);
          }
        }
      }
    }
    for (const auto& [run, event] : events) {
      const bool is_whole =
          event.parts.size() == runs_.runs[run].peers.size() + 1;
      Judge(event, is_whole, margin_ns, 1);
    }
  }

  RunSequence TransfersWith(size_t local, size_t other) const {
    RunSequence sequence;
    for (const size_t run : Local(local).runs) {
      const std::vector<int>& peers = runs_.runs[run].peers;
      if (IsPairwise(local, run) &&
          std::count(peers.begin(), peers.end(), Local(other).rank) > 0) {
        sequence.push_back(&runs_.runs[run]);
      }
    }
    return sequence;
  }

  // What the first `n` parts waited for the last of all.
  void Judge(const Event& event, bool is_whole, int64_t margin_ns,
             size_t n = static_cast<size_t>(-1)) {
    std::vector<Event::Part> parts = event.parts;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Event::Part& a, const Event::Part& b) {
                       return a.begin_ns < b.begin_ns;
                     });
    const Event::Part* source = SourceOf(parts);
    const Event::Part& last = source != nullptr ? *source : parts.back();
    int64_t others_waited = 0;
    for (const Event::Part& part : event.parts) {
      others_waited += WaitedNs(part, last.begin_ns);
    }
    for (size_t i = 0; i < std::min(n, event.parts.size()); ++i) {
      const Event::Part& part = event.parts[i];
      MatchedRun& run = out_.runs[part.run];
      run.others = event.parts.size() - 1;
      run.waited_ns = WaitedNs(part, last.begin_ns);
      run.is_whole = is_whole && !(source == nullptr && HasSource(part));
      if (part.run != last.run || last.run != parts.back().run) continue;
      const int64_t late_ns = last.begin_ns - parts[parts.size() - 2].begin_ns;
      if (late_ns <= margin_ns) continue;
      run.was_last = true;
      run.late_ns = late_ns;
      run.others_waited_ns = others_waited;
    }
  }

  // Whether the others wait for one rank alone, its root.
  bool HasSource(const Event::Part& part) const {
    const auto kind = runs_.runs[part.run].kind;
    return kind == CollectiveKind::kBroadcast ||
           kind == CollectiveKind::kScatter;
  }

  // nullptr: there is none, or it is not known.
  const Event::Part* SourceOf(const std::vector<Event::Part>& parts) const {
    for (const Event::Part& part : parts) {
      const CollectiveRun& run = runs_.runs[part.run];
      const bool is_root =
          HasSource(part) && run.root >= 0 && run.root == Local(run.local).rank;
      if (is_root) return &part;
    }
    return nullptr;
  }

  // What went on before the last was there did not wait for it.
  int64_t WaitedNs(const Event::Part& part, int64_t last_ns) const {
    if (part.end_ns <= last_ns && !EndsForAll(runs_.runs[part.run])) return 0;
    return std::max<int64_t>(0, std::min(part.end_ns, last_ns) - part.begin_ns);
  }

  const TraceModel& model_;
  const CollectiveRuns& runs_;
  CollectiveMatches out_;
  std::vector<int64_t> spreads_;
  // How far the second process's clock is behind the first's; by processes.
  std::map<std::pair<size_t, size_t>, std::optional<int64_t>> clocks_;
};

}  // namespace

CollectiveMatches MatchCollectives(const TraceModel& model,
                                   const CollectiveRuns& runs) {
  return Matcher(model, runs).Run();
}

}  // namespace dltap::analyzer
