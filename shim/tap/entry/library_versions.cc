// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/library_versions.h"

#include <library_types.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "shim/tap/entry/vendor_query.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/trace_output.h"
#include "tap_tables.h"
#include "vocabulary.h"

namespace dltap::shim {
namespace {

// Asked for again every so many passes: libraries are loaded late.
constexpr int kPassesBetweenQuestions = 50;

// `symbol` writes its library's version as an int.
template <typename Number>
uint64_t NumberFrom(const char* symbol) {
  Number version = 0;
  return Ask(symbol, &version) ? static_cast<uint64_t>(version) : 0;
}

// `symbol` returns it.
uint64_t ResultOf(const char* symbol) {
  const auto version = reinterpret_cast<size_t (*)()>(FindNoted(symbol));
  return version != nullptr ? version() : 0;
}

uint64_t CublasVersion() {
  int major = 0, minor = 0, patch = 0;
  const bool known = Ask("cublasGetProperty", MAJOR_VERSION, &major) &&
                     Ask("cublasGetProperty", MINOR_VERSION, &minor) &&
                     Ask("cublasGetProperty", PATCH_LEVEL, &patch);
  return known ? static_cast<uint64_t>(major * 10000 + minor * 100 + patch) : 0;
}

// libcudnn.so loads large libraries when it is asked anything, so only that of
// a process which has called it is asked.
uint64_t CudnnVersion() {
  constexpr auto kCreate = specs::EntryPoint::kCudnnCreate;
  const bool is_in_use = g_real[specs::CounterOf(kCreate)].load(
                             std::memory_order_relaxed) != nullptr;
  return is_in_use ? ResultOf("cudnnGetVersion") : 0;
}

using specs::Library;

struct KnownLibrary {
  Library library;
  uint64_t (*version)();
};
constexpr KnownLibrary kLibraries[] = {
    {Library::kCuda, [] { return NumberFrom<int>("cuDriverGetVersion"); }},
    {Library::kCudart, [] { return NumberFrom<int>("cudaRuntimeGetVersion"); }},
    {Library::kCublas, CublasVersion},
    {Library::kCublaslt, [] { return ResultOf("cublasLtGetVersion"); }},
    {Library::kCudnn, CudnnVersion},
    {Library::kNccl, [] { return NumberFrom<int>("ncclGetVersion"); }},
    {Library::kCupti, [] { return NumberFrom<uint32_t>("cuptiGetVersion"); }},
};
using Versions = std::array<uint64_t, std::size(kLibraries)>;

constinit int g_passes = 0;
constinit Versions g_written{};

// What follows the struct of a LibrariesRecord.
class Pairs {
 public:
  void Add(Library library, uint64_t version) {
    const char* name =
        specs::Words<Library>::kNames[static_cast<size_t>(library)];
    const auto name_bytes = static_cast<uint32_t>(strlen(name));
    constexpr uint32_t kNoText = 0;
    Put(&name_bytes, sizeof(name_bytes));
    Put(name, name_bytes);
    Put(&version, sizeof(version));
    Put(&kNoText, sizeof(kNoText));
    ++count_;
  }
  uint32_t count() const { return count_; }
  trace::Piece AsPiece() const { return trace::Piece::Raw(bytes_, used_); }

 private:
  static constexpr size_t kMaxPairBytes = 32;

  void Put(const void* from, size_t bytes) {
    memcpy(bytes_ + used_, from, bytes);
    used_ += bytes;
  }

  uint8_t bytes_[std::size(kLibraries) * kMaxPairBytes];
  size_t used_ = 0;
  uint32_t count_ = 0;
};

void WriteVersions() {
  Versions versions{};
  for (size_t i = 0; i < versions.size(); ++i) {
    versions[i] = kLibraries[i].version();
  }
  if (memcmp(&versions, &g_written, sizeof(versions)) == 0) return;
  g_written = versions;
  Pairs pairs;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions[i] != 0) pairs.Add(kLibraries[i].library, versions[i]);
  }
  trace::LibrariesRecord record = {};
  record.library_count = pairs.count();
  WriteRecord(trace::BlockKind::kDefinitions, record, pairs.AsPiece());
}

void Begin() {
  g_passes = 0;
  g_written = {};
}

void Pass() {
  if (g_passes++ % kPassesBetweenQuestions == 0) WriteVersions();
}

}  // namespace

void CollectLibraryVersions() {
  AddParticipant({Begin, Pass, nullptr, [](uint64_t deadline_ns) {
                    if (MonotonicNs() < deadline_ns) WriteVersions();
                  }});
}

}  // namespace dltap::shim
