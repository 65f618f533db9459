// SPDX-License-Identifier: Apache-2.0
// Another NVTX tool: counts pushes, gives out handles and ids of its own, but
// none to the domain "private".
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

static int g_pushes;
static char g_names[8][32];
static int g_name_count;

static int Push(const char* text) {
  (void)text;
  return ++g_pushes;
}

static int DomainPush(nvtxDomainHandle_t domain,
                      const nvtxEventAttributes_t* attributes) {
  const char* text = (const char*)attributes->message.registered;
  printf("tool %s:%s\n", domain != NULL ? (const char*)domain : "-",
         text != NULL ? text : "-");
  return ++g_pushes;
}

static char* Keep(const char* text) {
  char* name = g_names[g_name_count++];
  strncpy(name, text, sizeof(g_names[0]) - 1);
  return name;
}
static nvtxDomainHandle_t Create(const char* name) {
  if (strcmp(name, "private") == 0) return NULL;
  return (nvtxDomainHandle_t)Keep(name);
}
static void Destroy(nvtxDomainHandle_t domain) {
  if (domain != NULL) printf("destroyed %s\n", (const char*)domain);
}
static nvtxStringHandle_t Register(nvtxDomainHandle_t domain,
                                   const char* text) {
  if (domain == NULL) return NULL;
  return (nvtxStringHandle_t)Keep(text);
}

static void Set(NvtxFunctionTable table, unsigned size, unsigned id,
                void (*function)(void)) {
  if (id < size) *table[id] = function;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const NvtxExportTableCallbacks* callbacks = get_table(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = 0;
  unsigned size = 0;
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size);
  Set(table, size, NVTX_CBID_CORE_RangePushA, (void (*)(void))Push);
  callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size);
  Set(table, size, NVTX_CBID_CORE2_DomainRangePushEx,
      (void (*)(void))DomainPush);
  Set(table, size, NVTX_CBID_CORE2_DomainCreateA, (void (*)(void))Create);
  Set(table, size, NVTX_CBID_CORE2_DomainDestroy, (void (*)(void))Destroy);
  Set(table, size, NVTX_CBID_CORE2_DomainRegisterStringA,
      (void (*)(void))Register);
  return 1;
}
