// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/trace_files.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "analyzer/reader/live_ring.h"
#include "analyzer/reader/pack/pack.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;
using trace::HeaderStatus;

bool IsRing(std::string_view path) { return path.ends_with(".ring"); }
bool IsTraceName(std::string_view path) {
  return path.ends_with(".dltap") || IsRing(path) ||
         path.ends_with(kPackSuffix);
}

constexpr std::string_view kEmpty =
    ": the file is empty; its process died before it wrote";

std::string MajorText(const trace::FileHeader& header) {
  return std::to_string(header.major_version);
}

absl::Status HeaderError(const std::string& path, HeaderStatus status,
                         const trace::FileHeader& header, size_t size) {
  switch (status) {
    case HeaderStatus::kOk: break;
    case HeaderStatus::kNotATrace:
      if (size == 0) {
        return absl::DataLossError(path + std::string(kEmpty));
      }
      return absl::DataLossError(path + ": not a dltap trace file");
    case HeaderStatus::kTooShort:
      return absl::DataLossError(path +
                                 ": cut off within its header, at byte " +
                                 std::to_string(size));
    case HeaderStatus::kNewerMajor:
      return absl::UnimplementedError(
          path + ": format version " + MajorText(header) +
          " is newer than this dltap reads (" +
          std::to_string(trace::kMajorVersion) + "); use a newer dltap");
    case HeaderStatus::kCorrupt:
      return absl::DataLossError(path + ": damaged file header at byte 0");
  }
  return absl::OkStatus();
}

absl::StatusOr<TraceFile> Open(const std::string& path) {
  absl::StatusOr<MappedFile> file =
      IsRing(path) ? CopyRing(path) : MappedFile::Map(path);
  if (!file.ok()) return file.status();
  return OpenTraceFile(*std::move(file));
}

// After an exec the process is the same one to the system; its program, and so
// its session, is another.
using ProcessKey = std::tuple<std::string, uint64_t, uint64_t, int64_t>;
ProcessKey KeyOf(const trace::FileHeader& header) {
  return {std::string(header.boot_id, sizeof(header.boot_id)), header.pid,
          header.process_start_time, header.start_realtime_ns};
}

// Its process was killed while it made the ring, before anything was recorded.
bool IsUnfinishedRing(const std::string& path) {
  if (!IsRing(path)) return false;
  absl::StatusOr<MappedFile> file = MappedFile::Map(path);
  return file.ok() && (file->bytes().empty() || file->bytes()[0] == 0);
}

// The ring file that a data file names in one of its first blocks; empty: none.
std::string RingNamedBy(const TraceFile& file) {
  constexpr int kFirstBlocks = 8;
  trace::BlockReader blocks(file.file.bytes(), file.header.header_bytes);
  trace::Block block;
  for (int i = 0;
       i < kFirstBlocks && blocks.Next(&block) == trace::DecodeStatus::kOk;
       ++i) {
    if (block.header.kind == static_cast<uint16_t>(trace::BlockKind::kCalls)) {
      continue;
    }
    trace::RecordReader records(block.payload);
    trace::RecordView record;
    while (records.Next(&record) == trace::DecodeStatus::kOk) {
      std::string_view path;
      trace::TailReader tail = record.tail();
      if (record.kind() == trace::RecordKind::kRingName && tail.String(&path)) {
        return std::string(path);
      }
    }
  }
  return {};
}

// Where the ring that `file` names may be: beside it, moved or copied there
// together with it, or else where the process made it; or beside it after all,
// if it was moved while the second place was looked at.
std::vector<std::string> PlacesOfRing(const TraceFile& file) {
  const fs::path named = RingNamedBy(file);
  if (!IsRing(named.string())) return {};
  std::string name = named.filename().string();
  if (name.starts_with("dltap-")) name = name.substr(6);
  const fs::path folder = fs::path(file.file.path()).parent_path();
  const std::string beside = (folder / name).string();
  return {beside, named.string(), beside};
}

bool IsRingFile(const TraceFile& file) {
  return file.header.file_kind == static_cast<uint8_t>(trace::FileKind::kRing);
}

// Rings that lie elsewhere, if they are still there and of the same process,
// where none was given: one beside a copy of the data files belongs to it. A
// name that a trace made up opens nothing but a ring of that process.
void AddNamedRings(std::set<std::string>& seen, std::vector<TraceFile>& files) {
  const size_t count = files.size();
  std::set<ProcessKey> complete;
  for (const TraceFile& file : files) {
    if (IsRingFile(file)) complete.insert(KeyOf(file.header));
  }
  for (size_t i = 0; i < count; ++i) {
    if (complete.contains(KeyOf(files[i].header))) continue;
    for (const std::string& path : PlacesOfRing(files[i])) {
      std::error_code error;
      if (!fs::is_regular_file(path, error)) continue;
      if (!seen.insert(fs::weakly_canonical(path, error).string()).second) {
        break;
      }
      absl::StatusOr<TraceFile> ring = Open(path);
      if (!ring.ok() || KeyOf(ring->header) != KeyOf(files[i].header) ||
          !IsRingFile(*ring)) {
        continue;
      }
      files.push_back(*std::move(ring));
      break;
    }
  }
}

// What was drained while the rings were copied stands in data files that have
// become longer.
void LookAgain(std::vector<TraceFile>& files) {
  std::set<ProcessKey> with_rings;
  for (const TraceFile& file : files) {
    if (IsRing(file.file.path())) with_rings.insert(KeyOf(file.header));
  }
  for (TraceFile& file : files) {
    const std::string path = file.file.path();
    if (IsRing(path) || !with_rings.contains(KeyOf(file.header))) continue;
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    if (error || bytes == file.file.bytes().size()) continue;
    absl::StatusOr<TraceFile> longer = Open(path);
    if (longer.ok()) file = *std::move(longer);
  }
}

// A ring beside the data file even when only that was named.
std::vector<std::string> WithRings(std::vector<std::string> paths) {
  std::set<std::string> all(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    std::error_code error;
    const std::string ring = path + ".ring";
    if (!IsRing(path) && fs::exists(ring, error) && all.insert(ring).second) {
      paths.push_back(ring);
    }
  }
  return paths;
}

bool IsPack(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  char head[8] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof(head));
  return LooksLikePack({head, sizeof(head)});
}

// Unpacks into files without a name, so that memory holds only what is read.
absl::Status OpenPacked(const std::string& path,
                        std::vector<TraceFile>& files) {
  const auto finish = [&](const std::string& name,
                          std::FILE* file) -> absl::Status {
    auto mapped = MappedFile::MapDescriptor(name, fileno(file));
    if (!mapped.ok()) return mapped.status();
    absl::StatusOr<TraceFile> opened = OpenTraceFile(*std::move(mapped));
    if (!opened.ok()) return opened.status();
    files.push_back(*std::move(opened));
    return absl::OkStatus();
  };
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  std::vector<std::pair<std::string, File>> unpacked;
  const absl::Status status =
      Unpack(path, [&](const PackedFile& file) -> absl::StatusOr<ByteSink> {
        // The path that the file had beside the pack.
        const auto name = fs::path(path).replace_extension() / file.name;
        unpacked.emplace_back(name.string(), File(std::tmpfile(), std::fclose));
        std::FILE* target = unpacked.back().second.get();
        return ByteSink([target, path](std::string_view bytes) -> absl::Status {
          if (target != nullptr && std::fwrite(bytes.data(), 1, bytes.size(),
                                               target) == bytes.size()) {
            return absl::OkStatus();
          }
          return absl::PermissionDeniedError(
              path +
              ": no room to unpack it in the folder for temporary "
              "files; unpack it with dltap pack -d");
        });
      });
  if (!status.ok()) return status;
  for (auto& [name, file] : unpacked) {
    if (file == nullptr || std::fflush(file.get()) != 0) continue;
    if (absl::Status s = finish(name, file.get()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status OpenAll(const std::string& given, std::set<std::string>& seen,
                     std::vector<TraceFile>& files,
                     std::vector<std::string>* problems) {
  absl::StatusOr<std::vector<std::string>> paths = ListTraceFiles(given);
  if (!paths.ok()) return paths.status();
  absl::Status first_error;
  bool any = false;
  for (const std::string& path : WithRings(*paths)) {
    std::error_code error;
    // Named twice, say by its directory too: its events count once.
    if (!seen.insert(fs::weakly_canonical(path, error).string()).second) {
      any = true;
      continue;
    }
    if (IsPack(path)) {
      if (absl::Status s = OpenPacked(path, files); s.ok()) {
        any = true;
      } else {
        first_error.Update(s);
        problems->push_back(std::string(s.message()));
      }
      continue;
    }
    absl::StatusOr<TraceFile> file = Open(path);
    if (!file.ok()) {
      if (IsUnfinishedRing(path)) continue;
      first_error.Update(file.status());
      problems->push_back(std::string(file.status().message()));
      continue;
    }
    any = true;
    files.push_back(*std::move(file));
  }
  return any ? absl::OkStatus() : first_error;
}

}  // namespace

bool SaysEmpty(std::string_view problem) { return problem.ends_with(kEmpty); }

bool LooksLikeOwnTrace(std::string_view head) {
  const size_t size = std::min(head.size(), sizeof(trace::kFileMagic));
  return size > 0 && std::memcmp(head.data(), trace::kFileMagic, size) == 0;
}

absl::StatusOr<std::vector<std::string>> ListTraceFiles(
    const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return absl::NotFoundError(path + ": no such file or directory");
  }
  if (error) return absl::PermissionDeniedError(path + ": " + error.message());
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> paths;
  fs::directory_iterator it(path, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().string();
    if (IsTraceName(name)) paths.push_back(name);
  }
  if (error) return absl::PermissionDeniedError(path + ": " + error.message());
  if (paths.empty()) {
    return absl::NotFoundError(
        path +
        ": holds no trace (no *.dltap file); did the program use a GPU "
        "while libdltap.so was loaded, and could it start one more thread?");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<TraceFile> OpenTraceFile(MappedFile file) {
  TraceFile opened = {std::move(file), {}};
  const HeaderStatus status =
      trace::ReadFileHeader(opened.file.bytes(), &opened.header);
  const absl::Status error = HeaderError(
      opened.file.path(), status, opened.header, opened.file.bytes().size());
  if (!error.ok()) return error;
  return opened;
}

std::vector<ProcessFiles> GroupByProcess(std::vector<TraceFile> files) {
  std::map<ProcessKey, ProcessFiles> processes;
  for (TraceFile& file : files) {
    ProcessFiles& process = processes[KeyOf(file.header)];
    (IsRingFile(file) ? process.rings : process.data)
        .push_back(std::move(file));
  }
  std::vector<ProcessFiles> result;
  for (auto& [key, process] : processes) {
    std::stable_sort(process.data.begin(), process.data.end(),
                     [](const TraceFile& a, const TraceFile& b) {
                       return a.header.segment < b.header.segment;
                     });
    result.push_back(std::move(process));
  }
  return result;
}

absl::StatusOr<std::vector<ProcessFiles>> OpenTraceFiles(
    const std::vector<std::string>& paths, std::vector<std::string>* problems) {
  std::vector<TraceFile> files;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    const absl::Status status = OpenAll(path, seen, files, problems);
    if (!status.ok()) return status;
  }
  AddNamedRings(seen, files);
  LookAgain(files);
  return GroupByProcess(std::move(files));
}

void AddNames(const ProcessFiles& files, std::vector<std::string>& paths) {
  for (const TraceFile& file : files.data) paths.push_back(file.file.path());
  for (const TraceFile& file : files.rings) paths.push_back(file.file.path());
}

}  // namespace dltap::analyzer
