// SPDX-License-Identifier: Apache-2.0
// copies MODE: several copies of a library in one process, one after the other
// or at the same time. Prints what each caller is told.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void* Load(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) printf("%s\n", dlerror());
  return library;
}

static void Ask(void* library, const char* symbol) {
  int (*version)(void);
  *(void**)&version = dlsym(library, symbol);
  printf("%s %d\n", symbol, version != NULL ? version() : -2);
}

static void AskRuntime(void* library) {
  int version = 0;
  int (*ask)(int*);
  *(void**)&ask = dlsym(library, "cudaRuntimeGetVersion");
  const int status = ask != NULL ? ask(&version) : -2;
  printf("%d %d\n", status, version);
}

// The next library cannot come to lie where the runtime did.
static void Occupy(const void* runtime) {
  char* page = (char*)((unsigned long)runtime & ~4095ul);
  for (int i = -4; i < 5; ++i) {
    mmap(page + i * 4096, 4096, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  }
}

static void Reload(const char* name) {
  for (int i = 0; i < 4; ++i) {
    void* library = Load(name);
    if (library == NULL) return;
    Ask(library, "Version");
    const void* (*address)(void);
    *(void**)&address = dlsym(library, "AddressOfRuntime");
    const void* runtime = address();
    dlclose(library);
    Occupy(runtime);
  }
}

static void ReloadByLookup(void) {
  for (int i = 0; i < 4; ++i) {
    void* runtime = Load("libcudart.so.13");
    if (runtime == NULL) return;
    AskRuntime(runtime);
    const void* address = dlsym(runtime, "fakeCudaCalls");
    dlclose(runtime);
    Occupy(address);
  }
}

// Whose code is it that a look-up finds?
static void ShowOwner(void* library) {
  Dl_info info;
  void* found = dlsym(library, "cudaRuntimeGetVersion");
  if (found == NULL || dladdr(found, &info) == 0) return;
  const char* slash = strrchr(info.dli_fname, '/');
  printf("%s\n", slash != NULL ? slash + 1 : info.dli_fname);
}

static int (*g_version)(void);
static atomic_int g_wrong, g_is_done;

static void* CallOn(void* unused) {
  while (!g_is_done) g_wrong += g_version() != 13000;
  return unused;
}

// Threads call one copy while another comes and goes.
static void Storm(void) {
  *(void**)&g_version = dlsym(Load("libtap_linked13.so"), "Version");
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, CallOn, NULL);
  for (int i = 0; i < 200; ++i) {
    void* second = Load("libtap_linked12.so");
    int (*version)(void);
    *(void**)&version = dlsym(second, "Version");
    g_wrong += version() != 12080;
    dlclose(second);
  }
  g_is_done = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("wrong %d\n", g_wrong);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "linked";
  if (strcmp(mode, "reload") == 0) Reload("libtap_linked13.so");
  if (strcmp(mode, "reload_lookup") == 0) ReloadByLookup();
  if (strcmp(mode, "storm") == 0) Storm();
  if (strcmp(mode, "owner") == 0) {
    void* library = Load("libtap_linked13.so");
    Ask(library, "Version");
    ShowOwner(library);
    ShowOwner(RTLD_DEFAULT);
  }
  if (strcmp(mode, "linked") == 0) {
    void* first = Load("libtap_linked13.so");
    Ask(first, "Version");
    void* second = Load("libtap_linked12.so");
    for (int i = 0; i < 3; ++i) {
      Ask(second, "Version");
      Ask(first, "Version");
    }
  }
  if (strcmp(mode, "looked_up") == 0) {
    Ask(Load("libtap_linked13.so"), "Version");
    void* first = Load("libcudart.so.12");
    AskRuntime(first);
    void* second = Load("libcudart.so.13");
    AskRuntime(second);
    AskRuntime(first);
  }
  if (strcmp(mode, "inherited") == 0) {
    Ask(Load("libtap_linked13.so"), "Version");
    Ask(Load("libtap_heir12.so"), "VersionOfHeir");
    Ask(Load("libtap_linked13.so"), "Version");
  }
  if (strcmp(mode, "deepbind") == 0 || strcmp(mode, "namespace") == 0) {
    void* first = Load("libtap_linked13.so");
    Ask(first, "Version");
    const char* name = "libtap_linked12.so";
    void* second = strcmp(mode, "deepbind") == 0
                       ? dlopen(name, RTLD_NOW | RTLD_DEEPBIND)
                       : dlmopen(LM_ID_NEWLM, name, RTLD_NOW);
    Ask(second, "Version");
    Ask(first, "Version");
  }
  if (strcmp(mode, "choice") == 0) {
    void* choice = Load("libtap_choice.so");
    Ask(choice, "Version");
    AskRuntime(choice);
    AskRuntime(Load("libcudart.so.13"));
    Ask(choice, "Version");
  }
  if (strcmp(mode, "mock") == 0) {
    Ask(Load("libtap_linked13.so"), "Version");
    void* mock = Load("libtap_mock.so");
    AskRuntime(mock);
    Ask(mock, "Version");
    AskRuntime(Load("libcudart.so.13"));
    Ask(Load("libtap_linked13.so"), "Version");
    AskRuntime(mock);
    Ask(mock, "Version");
  }
  return 0;
}
