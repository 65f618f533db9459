// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/hlo_names.h"

#include <cstddef>
#include <cstring>

namespace dltap::shim::nvtx {
namespace {

constexpr char kKey[] = "op_name=\"";
constexpr size_t kKeyBytes = sizeof(kKey) - 1;
constexpr char kMore[] = "...\n";
constexpr uint32_t kMoreBytes = sizeof(kMore) - 1;

const char* Find(const char* at, const char* end, const char* what,
                 size_t bytes) {
  return static_cast<const char*>(
      memmem(at, static_cast<size_t>(end - at), what, bytes));
}

// Scopes have names of the program's, in which quotes are escaped.
const char* ClosingQuote(const char* at, const char* end) {
  for (; at < end; ++at) {
    if (*at == '"') return at;
    if (*at == '\\') ++at;
  }
  return nullptr;
}

}  // namespace

uint32_t CopyOperationNames(const char* dump, uint32_t length, char* out,
                            uint32_t capacity) {
  const char* const end = dump + length;
  const uint32_t room = capacity - kMoreBytes;
  uint32_t used = 0;
  bool is_all = true;
  const char* name = Find(dump, end, kKey, kKeyBytes);
  while (name != nullptr) {
    const char* quote = ClosingQuote(name + kKeyBytes, end);
    if (quote == nullptr) break;
    const auto bytes = static_cast<uint32_t>(quote + 1 - name);
    if (Find(out, out + used, name, bytes) == nullptr) {
      is_all = used + bytes + 1 <= room;
      if (!is_all) break;
      memcpy(out + used, name, bytes);
      used += bytes;
      out[used++] = '\n';
    }
    name = Find(quote + 1, end, kKey, kKeyBytes);
  }
  if (!is_all) {
    memcpy(out + used, kMore, kMoreBytes);
    used += kMoreBytes;
  }
  return used;
}

}  // namespace dltap::shim::nvtx
