// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/environment.h"

#include <cstdint>
#include <cstring>

namespace dltap::shim {
namespace {

constexpr uint32_t kMaxVariables = 256;
constexpr uint32_t kMaxBytes = 64 << 10;

constinit char g_bytes[kMaxBytes];
constinit const char* g_variables[kMaxVariables + 1];
constinit uint32_t g_count = 0;
constinit uint32_t g_used = 0;

bool IsOwn(const char* variable) { return strncmp(variable, "DLTAP_", 6) == 0; }

void Add(const char* variable) {
  const size_t bytes = strlen(variable) + 1;
  if (g_count == kMaxVariables || bytes > kMaxBytes - g_used) return;
  memcpy(g_bytes + g_used, variable, bytes);
  g_variables[g_count++] = g_bytes + g_used;
  g_used += static_cast<uint32_t>(bytes);
}

}  // namespace

bool IsVariable(const char* variable, const char* name) {
  const size_t length = strlen(name);
  return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

const char* FindVariable(const char* const* environment, const char* name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (IsVariable(*environment, name)) return *environment + strlen(name) + 1;
  }
  return nullptr;
}

bool ParseBoolean(const char* text, bool* value) {
  struct Word {
    const char* text;
    bool value;
  };
  constexpr Word kWords[] = {{"1", true},   {"on", true},     {"true", true},
                             {"yes", true}, {"0", false},     {"off", false},
                             {"no", false}, {"false", false}, {"", false}};
  for (const Word& word : kWords) {
    if (strcmp(text, word.text) != 0) continue;
    *value = word.value;
    return true;
  }
  return false;
}

void CopyEnvironment(const char* const* environment,
                     bool (*wanted)(const char* variable)) {
  g_count = g_used = 0;
  if (environment == nullptr) environment = g_variables + kMaxVariables;
  for (auto* at = environment; *at != nullptr; ++at) {
    if (IsOwn(*at)) Add(*at);
  }
  g_variables[g_count] = nullptr;
  for (auto* at = environment; *at != nullptr; ++at) {
    if (!IsOwn(*at) && wanted(*at)) Add(*at);
  }
  g_variables[g_count] = nullptr;
}

const char* const* SessionEnvironment() { return g_variables; }

}  // namespace dltap::shim
