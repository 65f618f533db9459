// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_OUTPUT_PATH_H_
#define DLTAP_SHIM_TAP_RUNTIME_OUTPUT_PATH_H_

#include <cstdint>
#include <span>

namespace dltap::shim {

// What the letters of DLTAP_OUTPUT stand for.
struct OutputNames {
  const char* machine;
  const char* program;
  int pid;
  const char* const* environment;
};

// Writes the output directory into `path`: `pattern` with %h machine, %p pid,
// %r rank (by the variables of shim/specs/launchers.h; 0 without
// one), %q{NAME} a variable (empty if unset) and %% for a percent sign; without
// a pattern "dltap-<program>-<pid>". A slash in a substituted value becomes
// '_'. False when the pattern has another letter or the result does not fit.
bool ExpandOutput(const char* pattern, const OutputNames& names,
                  std::span<char> path);

// Whether `pattern` asks for the variable, "NAME=value", by %q{NAME}.
bool IsNamedIn(const char* pattern, const char* variable);

// The variable that tells the process's rank, or nullptr.
const char* FindRank(const char* const* environment);

// Creates the directory and those above it, 0700 where missing. 0 or errno.
int MakeDirectories(const char* path);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_OUTPUT_PATH_H_
