// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/library_versions.h"

#include <library_types.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "shim/tap/entry/framework_versions.h"
#include "shim/tap/entry/plain_text.h"
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
constexpr const char* NameOf(Library library) {
  return specs::Words<Library>::kNames[static_cast<size_t>(library)];
}
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

constexpr size_t LongestName() {
  size_t longest = 0;
  const auto look_at = [&longest](const char* name) {
    const size_t length = LengthOf(name);
    if (length > longest) longest = length;
  };
  for (const KnownLibrary& known : kLibraries) look_at(NameOf(known.library));
  for (const trace::Framework& known : trace::kFrameworks) look_at(known.name);
  return longest;
}

constinit int g_passes = 0;
// What was written last.
constinit Versions g_versions{};
constinit FrameworkSearch g_frameworks{};

// What follows the struct of a LibrariesRecord.
class Rows {
 public:
  void Add(const char* library, uint64_t version, const char* text) {
    PutText(library);
    Put(&version, sizeof(version));
    PutText(text);
    ++count_;
  }
  uint32_t count() const { return count_; }
  trace::Piece AsPiece() const { return trace::Piece::Raw(bytes_, used_); }

 private:
  static constexpr size_t kMaxRowBytes =
      2 * sizeof(uint32_t) + sizeof(uint64_t) + LongestName();

  void Put(const void* from, size_t bytes) {
    memcpy(bytes_ + used_, from, bytes);
    used_ += bytes;
  }
  void PutText(const char* text) {
    const auto bytes = static_cast<uint32_t>(strlen(text));
    Put(&bytes, sizeof(bytes));
    Put(text, bytes);
  }

  uint8_t bytes_[std::size(kLibraries) * kMaxRowBytes +
                 trace::kFrameworks.size() * (kMaxRowBytes + kMaxVersionText)];
  size_t used_ = 0;
  uint32_t count_ = 0;
};

Versions ReadVersions() {
  Versions versions{};
  for (size_t i = 0; i < versions.size(); ++i) {
    versions[i] = kLibraries[i].version();
  }
  return versions;
}

void Write(const Versions& versions, const FrameworkVersions& frameworks) {
  Rows rows;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions[i] == 0) continue;
    rows.Add(NameOf(kLibraries[i].library), versions[i], "");
  }
  for (size_t i = 0; i < trace::kFrameworks.size(); ++i) {
    const FrameworkVersion& found = frameworks[i];
    if (found.is_loaded) rows.Add(trace::kFrameworks[i].name, 0, found.text);
  }
  trace::LibrariesRecord record = {};
  record.library_count = rows.count();
  WriteRecord(trace::BlockKind::kDefinitions, record, rows.AsPiece());
}

bool AreEqual(const auto& a, const auto& b) {
  return memcmp(&a, &b, sizeof(a)) == 0;
}

// A framework brings the vendor's libraries with it: while those are the same,
// the process's map is not read again, but for `look`.
void WriteWhatIsNew(bool look) {
  const Versions versions = ReadVersions();
  const bool is_old = AreEqual(versions, g_versions);
  if (is_old && !look) return;
  const FrameworkVersions before = g_frameworks.found;
  FindFrameworks(&g_frameworks);
  if (is_old && AreEqual(g_frameworks.found, before)) return;
  g_versions = versions;
  Write(versions, g_frameworks.found);
}

void Begin() {
  g_passes = 0;
  g_versions = {};
  g_frameworks = {};
}

void Pass() {
  if (g_passes++ % kPassesBetweenQuestions == 0) WriteWhatIsNew(false);
}

void Finish(bool (*is_awaited)()) {
  if (is_awaited()) WriteWhatIsNew(true);
}

}  // namespace

void CollectLibraryVersions() {
  AddParticipant({Begin, Pass, nullptr, Finish});
}

}  // namespace dltap::shim
