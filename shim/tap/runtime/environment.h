// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_ENVIRONMENT_H_
#define DLTAP_SHIM_TAP_RUNTIME_ENVIRONMENT_H_

namespace dltap::shim {

// Value of a variable in `environment` ("NAME=value" strings, null at the end),
// or nullptr.
const char* FindVariable(const char* const* environment, const char* name);

// "1", "on", "true", "yes" and their opposites; empty is false. False: none of
// them, `value` is left.
bool ParseBoolean(const char* text, bool* value);

// Whether "NAME=value" is the variable of that name.
bool IsVariable(const char* variable, const char* name);

// Copies of `environment` what is ours and what is `wanted`, so that the
// collector need not read what the program may change meanwhile. A program may
// have thousands of others. By the thread that starts the session. No
// allocation.
void CopyEnvironment(const char* const* environment,
                     bool (*wanted)(const char* variable));

// The copy, in the same form. Empty before CopyEnvironment().
const char* const* SessionEnvironment();

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_ENVIRONMENT_H_
