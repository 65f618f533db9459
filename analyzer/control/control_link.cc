// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/control_link.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr int kAnswerMs = 3000;
constexpr std::string_view kExtension = ".dltap";

std::string ProcOf(int pid) { return "/proc/" + std::to_string(pid); }

uint64_t MonotonicNs() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_nsec);
}

// A process's number as it sees itself: the last one of "NSpid: 4711 1".
uint32_t OwnNumber(int pid) {
  std::ifstream status(ProcOf(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(6));
    uint32_t number = 0;
    while (numbers >> number) {
    }
    return number;
  }
  return static_cast<uint32_t>(pid);
}

// Any process may have a file of that name: one that is shorter, or that its
// owner can cut off while it is mapped, would end us.
bool IsWholeForGood(int fd) {
  struct stat status;
  const int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
         fstat(fd, &status) == 0 && status.st_size >= trace::kControlBytes;
}

trace::ControlPage* Map(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* page = MAP_FAILED;
  if (IsWholeForGood(fd)) {
    page = mmap(nullptr, trace::kControlBytes, PROT_READ | PROT_WRITE,
                MAP_SHARED, fd, 0);
  }
  close(fd);
  return page == MAP_FAILED ? nullptr : static_cast<trace::ControlPage*>(page);
}

// A forked child holds its parent's page too, which is not the child's.
bool IsPageOf(const trace::ControlPage& page, uint32_t number) {
  return page.magic == trace::kControlMagic && page.pid == number;
}

double SecondsSince(uint64_t ns, uint64_t now_ns) {
  return now_ns > ns ? static_cast<double>(now_ns - ns) * 1e-9 : 0;
}

}  // namespace

absl::StatusOr<ControlLink> ControlLink::To(int pid) {
  const std::string name = "process " + std::to_string(pid);
  std::error_code error;
  if (!fs::exists(ProcOf(pid), error)) {
    return absl::NotFoundError("there is no " + name);
  }
  const uint32_t number = OwnNumber(pid);
  const std::string wanted = std::string("/memfd:") + trace::kControlName;
  fs::directory_iterator it(ProcOf(pid) + "/fd", error);
  if (error) {
    return absl::PermissionDeniedError(
        name + " cannot be looked into: " + error.message() +
        "; be its user, or root");
  }
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code no_link;
    const std::string link = fs::read_symlink(it->path(), no_link).string();
    if (!link.starts_with(wanted)) continue;
    trace::ControlPage* page = Map(it->path());
    if (page == nullptr) continue;
    ControlLink found(pid, page);
    if (!IsPageOf(*page, number)) continue;
    if (page->version != trace::kControlVersion) {
      return absl::UnimplementedError(
          name + " runs another version of libdltap.so; use its own dltap");
    }
    return found;
  }
  return absl::NotFoundError(
      name +
      " is not being recorded: it runs without libdltap.so, has done "
      "no GPU work yet, or has closed its descriptors");
}

ControlLink::~ControlLink() {
  if (page_ != nullptr) munmap(page_, trace::kControlBytes);
}

ControlLink::ControlLink(ControlLink&& other) noexcept
    : pid_(other.pid_), page_(other.page_) {
  other.page_ = nullptr;
}

absl::Status ControlLink::Ask(trace::ControlRequest request) {
  page_->request.store(static_cast<uint32_t>(request));
  const uint32_t number = page_->asked.fetch_add(1) + 1;
  for (int waited_ms = 0; waited_ms < kAnswerMs; waited_ms += 5) {
    if (page_->answered.load() == number) return absl::OkStatus();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return absl::DeadlineExceededError(
      "process " + std::to_string(pid_) +
      " does not answer: it is stopped, or its recording has ended");
}

RecordingStatus ControlLink::Status() const {
  const uint64_t now_ns = MonotonicNs();
  RecordingStatus status;
  status.state = static_cast<trace::ControlState>(page_->state.load());
  status.level = static_cast<int>(page_->level.load());
  status.is_ring = page_->is_ring.load() != 0;
  status.age_s = SecondsSince(page_->started_ns.load(), now_ns);
  status.last_pass_s = SecondsSince(page_->pass_ns.load(), now_ns);
  status.limit_bytes = page_->limit_bytes.load();
  status.calls = page_->calls.load();
  status.lost = page_->lost.load();
  status.own_cpu_ns = page_->own_cpu_ns.load();
  status.total_cpu_ns = page_->total_cpu_ns.load();
  status.directory.assign(page_->directory,
                          strnlen(page_->directory, sizeof(page_->directory)));
  status.file.assign(page_->file, strnlen(page_->file, sizeof(page_->file)));
  for (const std::string& path : DataFiles()) {
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    if (!error) status.bytes += bytes;
  }
  return status;
}

// Segments are called STEM.dltap, STEM.1.dltap, ...; the process may live in
// another file system than we do, so the way leads through its root.
std::vector<std::string> ControlLink::DataFiles() const {
  const std::string_view name(page_->file,
                              strnlen(page_->file, sizeof(page_->file)));
  if (!name.ends_with(kExtension)) return {};
  const std::string stem(name.substr(0, name.size() - kExtension.size()));
  const std::string folder =
      ProcOf(pid_) + "/root" +
      std::string(page_->directory,
                  strnlen(page_->directory, sizeof(page_->directory)));
  std::vector<std::pair<long, std::string>> found;
  std::error_code error;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (!file.starts_with(stem + ".") || !file.ends_with(kExtension)) continue;
    const std::string number =
        file.size() > stem.size() + kExtension.size() + 1
            ? file.substr(stem.size() + 1,
                          file.size() - stem.size() - 1 - kExtension.size())
            : "0";
    found.emplace_back(std::strtol(number.c_str(), nullptr, 10),
                       it->path().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::string ControlLink::RingName() const {
  const std::string file(page_->file,
                         strnlen(page_->file, sizeof(page_->file)));
  if (!file.ends_with(kExtension) || file.find('/') != std::string::npos) {
    return {};
  }
  return file + ".ring";
}

std::string ControlLink::RingFile() const {
  const std::string name = RingName();
  if (name.empty()) return {};
  const std::string root = ProcOf(pid_) + "/root";
  const std::string folder(page_->directory,
                           strnlen(page_->directory, sizeof(page_->directory)));
  std::error_code error;
  for (const std::string& path :
       {root + folder + "/" + name, root + "/dev/shm/dltap-" + name}) {
    if (fs::is_regular_file(path, error)) return path;
  }
  return {};
}

}  // namespace dltap::analyzer
