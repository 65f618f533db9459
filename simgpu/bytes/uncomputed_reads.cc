// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/uncomputed_reads.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simgpu/base/config.h"
#include "simgpu/base/fork_guard.h"
#include "simgpu/base/python_place.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/read_marks.h"

namespace dltap::simgpu {
namespace {

constexpr uint64_t kForEver = 10'000;
constexpr uint64_t kMostMarks = 10'000;  // of a place
constexpr size_t kMostPlaces = 1'000;
constexpr size_t kNamedPlaces = 3;
// The place of code that no Python called.
constexpr const char* kNoPython = "outside Python";

struct Place {
  uint64_t reads = 0;
  uint64_t value = 0;  // of the last read, its first eight bytes
  uint64_t times = 0;  // in a row that it was that
};

struct Reads {
  std::mutex mutex;
  std::map<std::string, Place> places;
};

constinit std::atomic<uint64_t> g_reads{0};

Reads& TheReads() {
  static auto* const reads = new Reads;
  return *reads;
}

// Of all that a parent has read the child says nothing.
[[gnu::constructor]] void ForgetAfterFork() {
  AddForkChildHandler([] { g_reads.store(0); });
}

void Warn(const std::string& place, uint64_t value) {
  std::fprintf(stderr,
               "dltap: simgpu: %s has read the same number %" PRIu64
               " times, which nobody computed (its bytes: %#" PRIx64
               "). A loop that waits for another one does not end: limit its "
               "rounds\n",
               place.c_str(), kForEver, value);
}

std::string Described(uint64_t reads) {
  Reads& all = TheReads();
  const std::lock_guard lock(all.mutex);
  std::vector<std::pair<uint64_t, std::string>> places;
  for (const auto& [name, place] : all.places) {
    places.emplace_back(place.reads, name);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a > b; });
  std::string text = "the program read " + std::to_string(reads) +
                     (reads == 1 ? " number" : " numbers") +
                     " that nobody computed";
  for (size_t i = 0; i < std::min(kNamedPlaces, places.size()); ++i) {
    text += (i == 0 ? ": " : ", ") + places[i].second + " (" +
            std::to_string(places[i].first) + ")";
  }
  return text + (places.size() > kNamedPlaces ? ", ..." : "");
}

[[gnu::destructor]] void AtExit() {
  const uint64_t reads = g_reads.load();
  if (reads == 0 || GetConfig().quiet) return;
  std::fprintf(stderr, "dltap: simgpu: %s\n", Described(reads).c_str());
}

}  // namespace

void NoteUncomputedRead(const void* value, size_t bytes) {
  g_reads.fetch_add(1, std::memory_order_relaxed);
  ThreadState& thread = CurrentThread();
  thread.has_uncomputed_read = true;
  thread.uncomputed_value = 0;
  std::memcpy(&thread.uncomputed_value, value,
              std::min(bytes, sizeof(thread.uncomputed_value)));
}

void NameUncomputedRead() {
  ThreadState& thread = CurrentThread();
  if (!thread.has_uncomputed_read) [[likely]]
    return;
  thread.has_uncomputed_read = false;
  std::string name = PythonPlace();
  if (name.empty()) name = kNoPython;
  bool is_for_ever = false;
  bool is_marked = false;
  {
    Reads& all = TheReads();
    const std::lock_guard lock(all.mutex);
    if (all.places.size() >= kMostPlaces && !all.places.contains(name)) return;
    Place& place = all.places[name];
    const bool again =
        place.reads++ > 0 && place.value == thread.uncomputed_value;
    place.value = thread.uncomputed_value;
    place.times = again ? place.times + 1 : 1;
    is_for_ever = place.times == kForEver;
    is_marked = place.reads <= kMostMarks;
  }
  if (is_marked) MarkUncomputedRead(name.c_str());
  if (is_for_ever && !GetConfig().quiet) Warn(name, thread.uncomputed_value);
}

}  // namespace dltap::simgpu
