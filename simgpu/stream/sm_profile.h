// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SM_PROFILE_H_
#define DLTAP_SIMGPU_STREAM_SM_PROFILE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dltap::simgpu {

// How much of a device's SMs is taken at which time: a step function, to which
// work is added in the order of its submission.
//
// What a kernel takes is its resident blocks as a part of the resident blocks
// that the whole device has room for. Work gets what earlier work left, never
// more than it can use, and takes longer in proportion when that is less: the
// block scheduler's "leftover" policy. So two kernels that fill the device each
// follow one another, two that fill a third of it run side by side, and
// SM time is never given twice.
//
// Urgent work (cudaStreamCreateWithPriority: "do not preempt already-running
// work") may overtake less urgent work that is placed but not yet begun. That
// keeps the times it was given; the SM time it lost is taken from what is
// submitted later.
//
// A long queue is kept coarsely: two neighbours become their mean, which keeps
// the SM time and bounds the cost of a launch.
class SmProfile {
 public:
  static constexpr int kWhole = 1 << 20;  // all SMs
  static constexpr int kLevels = 6;       // 0: the most urgent

  struct Request {
    int64_t begin_ns;
    int64_t duration_ns;  // with all of `units`
    int units;            // 1 .. kWhole
    int least_units = 1;  // of one block: with less it cannot go on
    int level = kLevels - 1;
    // Up to here less urgent work counts as running: it is not overtaken.
    int64_t fixed_until_ns = std::numeric_limits<int64_t>::max();
  };
  struct Place {
    int64_t begin_ns;
    int64_t end_ns;
  };
  struct Piece {
    Place place;
    int units;
  };

  // At most `max_kernels` run at a time (the programming guide's "maximum
  // number of resident grids per device").
  explicit SmProfile(int max_kernels) : max_kernels_(max_kernels) {}

  // Finds room and takes it.
  Place Add(const Request& request);

  // Takes room without asking.
  void AddFixed(Place place, int units, int level);

  // Finds room for several kernels in a row and takes it, less of it when it
  // would be in more than `max_pieces`. In the order of time, until the next
  // call.
  const std::vector<Piece>& Book(const Request& request, size_t max_pieces);

  // The opposite of Book(), for a part of a piece or of its units.
  void GiveBack(const Piece& piece, int level, int kernels);

  // Nothing before this time will be asked for again.
  void Forget(int64_t before_ns);

  size_t segment_count() const { return segments_.size() - first_; }

 private:
  struct Segment {
    int64_t begin_ns;  // to the next one's; the last is empty and endless
    std::array<int, kLevels> units{};
    int kernels = 0;

    int TotalUnits() const;
  };

  size_t IndexAt(int64_t time_ns) const;
  size_t SplitAt(int64_t time_ns);
  int FreeUnits(const Segment& segment, const Request& request) const;
  // Fills pieces_, none of which continues another.
  void FindRoom(const Request& request);
  // Returns the SM time, in units x ns, that is now given twice.
  int64_t Take(const Piece& piece, int level);
  void Coarsen();

  const int max_kernels_;
  std::vector<Segment> segments_ = std::vector<Segment>(
      1, Segment{std::numeric_limits<int64_t>::min(), {}, 0});
  size_t first_ = 0;  // those before are forgotten
  std::vector<Piece> pieces_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SM_PROFILE_H_
