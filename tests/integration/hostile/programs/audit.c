// SPDX-License-Identifier: Apache-2.0
// LD_AUDIT: sees every binding and every object, changes none.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>

unsigned int la_version(unsigned int version) { return version; }
unsigned int la_objopen(struct link_map* map, Lmid_t space, uintptr_t* cookie) {
  (void)map;
  (void)space;
  (void)cookie;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
uintptr_t la_symbind64(Elf64_Sym* symbol, unsigned int index, uintptr_t* from,
                       uintptr_t* to, unsigned int* flags, const char* name) {
  (void)index;
  (void)from;
  (void)to;
  (void)flags;
  (void)name;
  return symbol->st_value;
}
