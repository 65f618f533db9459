// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/output_files.h"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

absl::Status Failure(const std::string& path, const std::string& why) {
  return absl::InternalError(absl::StrCat(path, ": ", why));
}

// A stream of bytes into a file, compressed on the way or not.
class FileStream {
 public:
  FileStream(std::FILE* file, bool compress) : file_(file) {
    if (!compress) return;
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    zip_ = std::make_unique<z_stream>();
    failed_ = deflateInit2(zip_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip,
                           kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK;
  }
  ~FileStream() {
    if (zip_) deflateEnd(zip_.get());
  }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  void Write(std::string_view piece) {
    zip_ ? Deflate(piece, Z_NO_FLUSH) : Put(piece);
  }

  // Whether all of it is in the file.
  bool Finish() {
    if (zip_) Deflate("", Z_FINISH);
    return !failed_ && std::fflush(file_) == 0 && std::ferror(file_) == 0;
  }

 private:
  void Put(std::string_view bytes) {
    if (failed_) return;
    failed_ = std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size();
  }

  void Deflate(std::string_view piece, int flush) {
    if (failed_) return;
    zip_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    zip_->avail_in = static_cast<uInt>(piece.size());
    std::array<char, 1 << 16> out;
    do {
      zip_->next_out = reinterpret_cast<Bytef*>(out.data());
      zip_->avail_out = out.size();
      if (deflate(zip_.get(), flush) == Z_STREAM_ERROR) failed_ = true;
      Put({out.data(), out.size() - zip_->avail_out});
    } while (zip_->avail_out == 0 && !failed_);
  }

  std::FILE* file_;
  std::unique_ptr<z_stream> zip_;
  bool failed_ = false;
};

bool Stream(const ExportFile& file, std::FILE* to, bool compress) {
  FileStream stream(to, compress);
  file.stream([&stream](std::string_view piece) { stream.Write(piece); });
  return stream.Finish();
}

absl::Status StreamToStdout(const ExportFile& file) {
  if (!file.stream) {
    return absl::InvalidArgumentError("this format needs a file: -o PATH");
  }
  if (!Stream(file, stdout, file.always_compressed)) {
    return Failure("stdout", std::strerror(errno));
  }
  return absl::OkStatus();
}

absl::Status StreamTo(const ExportFile& file, const std::string& path,
                      bool compress) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(
      std::fopen(path.c_str(), "wbx"), std::fclose);
  if (out == nullptr || !Stream(file, out.get(), compress)) {
    return Failure(path, std::strerror(errno));
  }
  return absl::OkStatus();
}

// A rename, that does not overwrite what came meanwhile.
absl::Status Publish(const std::string& from, const std::string& to,
                     bool may_replace) {
  if (may_replace) {
    if (std::rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
    return Failure(to, std::strerror(errno));
  }
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return absl::OkStatus();
  }
  // Some file systems have no links.
  if (errno != EEXIST && access(to.c_str(), F_OK) != 0 &&
      std::rename(from.c_str(), to.c_str()) == 0) {
    return absl::OkStatus();
  }
  return Failure(to, std::strerror(errno));
}

// An error of a file names it as it was asked for, not as it is called until it
// is whole.
absl::Status WriteTemporary(const ExportFile& file, const std::string& part,
                            const std::string& path, bool compress) {
  const absl::Status status =
      file.stream ? StreamTo(file, part, compress) : file.write(part);
  if (status.ok()) return status;
  const std::string why = absl::StrReplaceAll(status.message(), {{part, path}});
  const bool is_named = why.find(path) != std::string::npos;
  return {status.code(), is_named ? why : absl::StrCat(path, ": ", why)};
}

}  // namespace

absl::Status CheckFree(const std::string& path, bool may_replace) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return absl::OkStatus();
  // A rename would put a file in the place of /dev/null.
  if (!fs::is_regular_file(status)) {
    return Failure(path, "is no file; -o - writes to stdout");
  }
  if (may_replace) return absl::OkStatus();
  return Failure(path, "exists; --force replaces it");
}

absl::Status WriteFiles(const std::vector<ExportFile>& files,
                        const OutputPlace& place,
                        const std::function<void(size_t)>& done) {
  if (place.path == "-") {
    if (files.size() == 1 && !place.is_folder) {
      return StreamToStdout(files.front());
    }
    return absl::InvalidArgumentError(
        "several files can't go to stdout: -o FOLDER, or --rank or --process");
  }
  std::vector<std::string> paths;
  for (const ExportFile& file : files) {
    paths.push_back(place.is_folder
                        ? (fs::path(place.path) / file.name).string()
                        : place.path);
  }
  for (const std::string& path : paths) {
    absl::Status s = CheckFree(path, place.may_replace);
    if (!s.ok()) return s;
  }
  std::error_code error;
  if (place.is_folder) fs::create_directories(place.path, error);
  if (error) return Failure(place.path, error.message());
  // All are whole before the first gets its name: a folder has all or none.
  std::vector<std::string> parts;
  absl::Status status;
  for (size_t i = 0; status.ok() && i < files.size(); ++i) {
    parts.push_back(absl::StrCat(paths[i], ".part-", getpid()));
    status =
        WriteTemporary(files[i], parts[i], paths[i],
                       files[i].always_compressed || paths[i].ends_with(".gz"));
    if (status.ok() && done) done(i + 1);
  }
  for (size_t i = 0; status.ok() && i < files.size(); ++i) {
    status = Publish(parts[i], paths[i], place.may_replace);
  }
  if (status.ok()) return status;
  for (const std::string& part : parts) unlink(part.c_str());
  if (place.is_folder) fs::remove(place.path, error);  // if it is empty
  return status;
}

}  // namespace dltap::analyzer
