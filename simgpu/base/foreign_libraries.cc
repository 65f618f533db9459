// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/foreign_libraries.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <string_view>

namespace dltap::simgpu {
namespace {

struct Search {
  std::string own_folder;  // with the slash
  std::vector<std::string> found;
};

std::string OwnFolder() {
  Dl_info info;
  const auto* here = reinterpret_cast<const void*>(&ForeignLibraries);
  if (dladdr(here, &info) == 0) return "";
  const std::string_view path = info.dli_fname;
  return std::string(path.substr(0, path.rfind('/') + 1));
}

// Profiles share files by links.
bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int Visit(dl_phdr_info* object, size_t, void* context) {
  auto& search = *static_cast<Search*>(context);
  const std::string_view path = object->dlpi_name;
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return 0;
  if (path.substr(0, slash + 1) == search.own_folder) return 0;
  const std::string twin =
      search.own_folder + std::string(path.substr(slash + 1));
  struct stat here, there;
  if (stat(twin.c_str(), &here) == 0 && stat(object->dlpi_name, &there) == 0 &&
      !IsSameFile(here, there)) {
    search.found.emplace_back(path);
  }
  return 0;
}

}  // namespace

std::vector<std::string> ForeignLibraries() {
  Search search{OwnFolder(), {}};
  if (!search.own_folder.empty()) dl_iterate_phdr(Visit, &search);
  return search.found;
}

}  // namespace dltap::simgpu
