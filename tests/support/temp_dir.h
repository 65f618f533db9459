// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_SUPPORT_TEMP_DIR_H_
#define DLTAP_TESTS_SUPPORT_TEMP_DIR_H_

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <string_view>

namespace dltap {

// A new directory, removed with all it holds at the end of the test.
class TempDir {
 public:
  TempDir() {
    std::string name =
        (std::filesystem::temp_directory_path() / "dltap_test.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  // The start of another traced program may move a ring in or out meanwhile.
  ~TempDir() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (error) std::filesystem::remove_all(path_, error);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }

  // Returns the file's path.
  std::string Write(std::string_view name,
                    std::span<const uint8_t> bytes) const {
    return Write(name,
                 {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  std::string Write(std::string_view name, std::string_view text) const {
    const std::string path = path_ + "/" + std::string(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::string path_;
};

}  // namespace dltap

#endif  // DLTAP_TESTS_SUPPORT_TEMP_DIR_H_
