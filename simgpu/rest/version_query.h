// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_REST_VERSION_QUERY_H_
#define DLTAP_SIMGPU_REST_VERSION_QUERY_H_

#include "simgpu/base/api_scope.h"
#include "simgpu/base/library_entry.h"

namespace dltap::simgpu {

// What GetVersion and GetProperty of a library answer, with or without a GPU.
struct LibraryVersion {
  int major;
  int minor;
  int patch;
  int invalid_value;  // the library's status for a bad argument

  // As the headers compute it: CUFFT_VERSION, CUSPARSE_VERSION, ...
  constexpr int number() const { return 1000 * major + 100 * minor + patch; }
};

inline int AnswerVersion(ApiFunction& function, const LibraryVersion& version,
                         int* answer) {
  const ApiScope scope(function);
  if (scope.injected_error() != 0) return scope.injected_error();
  if (answer == nullptr) return version.invalid_value;
  *answer = version.number();
  return 0;
}

// `type` is a libraryPropertyType: 0, 1, 2.
inline int AnswerProperty(ApiFunction& function, const LibraryVersion& version,
                          int type, int* answer) {
  const ApiScope scope(function);
  if (scope.injected_error() != 0) return scope.injected_error();
  if (answer == nullptr || type < 0 || type > 2) return version.invalid_value;
  const int parts[] = {version.major, version.minor, version.patch};
  *answer = parts[type];
  return 0;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_REST_VERSION_QUERY_H_
