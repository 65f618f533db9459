// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/nccl_unique_id.h"

#include <cstring>

namespace dltap::shim {
namespace {

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv
uint32_t HashOf(const void* bytes, unsigned size) {
  const auto* at = static_cast<const uint8_t*>(bytes);
  uint32_t hash = 2166136261;
  for (unsigned i = 0; i < size; ++i) hash = (hash ^ at[i]) * 16777619;
  return hash == 0 ? 1 : hash;
}

}  // namespace

void hooks::NcclUniqueId::Pack(uint8_t* at, const abi::ncclUniqueId& id) {
  NcclUniqueIds::Pack(at, &id);
}

void hooks::NcclUniqueIds::Pack(uint8_t* at, const void* ids) {
  const uint32_t hash = HashOf(ids, sizeof(abi::ncclUniqueId));
  memcpy(at, &hash, sizeof(hash));
}

}  // namespace dltap::shim
