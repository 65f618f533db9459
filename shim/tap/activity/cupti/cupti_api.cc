// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/cupti_api.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace dltap::shim::cupti {
namespace {

constexpr size_t kMaxPath = 1024;

// Where a library of the toolkit is mapped from.
struct MappedLibrary {
  char folder[kMaxPath] = {};
  int major = 0;
};
struct MappedLibraries {
  bool cupti = false;
  MappedLibrary cudart;
  MappedLibrary other;  // tells the version where libcudart is not mapped
};

const char* BaseName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool StartsWith(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

// "libcudart.so.13", "libcudart-9335f6a2.so.12.4.99"
int MajorOf(const char* name) {
  const char* so = strstr(name, ".so.");
  if (so == nullptr) return 0;
  int major = 0;
  for (so += 4; *so >= '0' && *so <= '9' && major < 1000; ++so) {
    major = 10 * major + (*so - '0');
  }
  return major;
}

void Note(const char* path, const char* name, MappedLibrary* library) {
  const auto folder = static_cast<size_t>(name - path);
  if (folder >= kMaxPath) return;
  memcpy(library->folder, path, folder);
  library->folder[folder] = '\0';
  library->major = MajorOf(name);
}

int LookAtObject(dl_phdr_info* info, size_t, void* data) {
  auto& found = *static_cast<MappedLibraries*>(data);
  if (info->dlpi_name == nullptr) return 0;
  const char* name = BaseName(info->dlpi_name);
  if (StartsWith(name, "libcupti")) found.cupti = true;
  if (StartsWith(name, "libcudart")) {
    Note(info->dlpi_name, name, &found.cudart);
  }
  // Their SONAMEs count as CUDA does.
  static constexpr const char* kStems[] = {"libcublas.", "libcublasLt.",
                                           "libnvrtc."};
  for (const char* stem : kStems) {
    if (StartsWith(name, stem)) Note(info->dlpi_name, name, &found.other);
  }
  return 0;
}

int DriverMajor(void* (*real)(const char* symbol)) {
  const auto ask =
      reinterpret_cast<CUresult (*)(int*)>(real("cuDriverGetVersion"));
  int version = 0;
  return ask != nullptr && ask(&version) == CUDA_SUCCESS ? version / 1000 : 0;
}

bool Map(const char* folder, const char* below, const char* soname) {
  char path[2 * kMaxPath];
  if (strlen(folder) + strlen(below) + strlen(soname) >= sizeof(path)) {
    return false;
  }
  strcpy(path, folder);
  strcat(path, below);
  strcat(path, soname);
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

}  // namespace

CudaMajors MajorsToTry(int library, int driver) {
  constexpr int kKnown[] = {13, 12};  // nothing older is supported
  CudaMajors found{};
  int count = 0;
  for (const int major : kKnown) {
    if (major == library) found.majors[count++] = major;
  }
  for (const int major : kKnown) {
    if (major != library && (driver == 0 || major <= driver)) {
      found.majors[count++] = major;
    }
  }
  return found;
}

bool MapCupti(void* (*real)(const char* symbol)) {
  MappedLibraries mapped;
  dl_iterate_phdr(LookAtObject, &mapped);
  if (mapped.cupti) return true;
  const bool has_cudart = mapped.cudart.major != 0;
  const MappedLibrary& library = has_cudart ? mapped.cudart : mapped.other;
  // In a toolkit, in one wheel with the runtime, in a wheel of its own.
  static constexpr const char* kBelow[] = {"", "../extras/CUPTI/lib64/",
                                           "../../cuda_cupti/lib/"};
  bool done = false;
  for (const int major : MajorsToTry(library.major, DriverMajor(real)).majors) {
    if (major == 0 || done) break;
    const char* soname = major == 12 ? "libcupti.so.12" : "libcupti.so.13";
    for (const char* below : kBelow) {
      done = done ||
             (library.folder[0] != '\0' && Map(library.folder, below, soname));
    }
    done = done || dlopen(soname, RTLD_LAZY | RTLD_LOCAL) != nullptr;
  }
  // Nobody may find a message about our attempts.
  dlerror();
  return done;
}

bool FindCupti(void* (*real)(const char* symbol), CuptiApi* api) {
  bool complete = true;
#define X(member, function)                                               \
  api->member = reinterpret_cast<decltype(api->member)>(real(#function)); \
  complete = complete && api->member != nullptr;
  DLTAP_CUPTI_REQUIRED(X)
#undef X
#define X(member, function) \
  api->member = reinterpret_cast<decltype(api->member)>(real(#function));
  DLTAP_CUPTI_OPTIONAL(X)
#undef X
  // The simulated GPU's: the same clock, but no client's callback changes it.
  void* steady = real("dltapSimGetTimestamp");
  if (steady != nullptr) {
    api->get_timestamp = reinterpret_cast<decltype(api->get_timestamp)>(steady);
  }
  return complete;
}

// An address of the main program cannot be opened, and need not be.
bool KeepMapped(const CuptiApi& api) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(api.get_version), &info) == 0) {
    return false;
  }
  dlopen(info.dli_fname, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  dlerror();
  return true;
}

}  // namespace dltap::shim::cupti
