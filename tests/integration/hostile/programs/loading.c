// SPDX-License-Identifier: Apache-2.0
// loading MODE: finds and loads vendor libraries in every way, and looks for
// traces of our own look-ups. Not linked to any; HOSTILE_CUDART and
// HOSTILE_CUDART_12 name the libraries, HOSTILE_PLUGIN a plugin,
// HOSTILE_CUPTI a CUPTI.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*MallocFunction)(void**, size_t);
typedef int (*MemsetFunction)(void*, int, size_t);
typedef int (*VersionFunction)(int*);

static void Say(const char* format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (write(1, text, (size_t)length) < 0) return;
}

static const char* Cudart(void) { return getenv("HOSTILE_CUDART"); }

static const char* NameOf(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static void SayError(const char* moment) {
  const char* error = dlerror();
  Say("%s: dlerror %s\n", moment, error != NULL ? error : "none");
}

static int WorkBy(void* library) {
  const MallocFunction allocate = (MallocFunction)dlsym(library, "cudaMalloc");
  const MemsetFunction set = (MemsetFunction)dlsym(library, "cudaMemset");
  void* memory = NULL;
  if (allocate == NULL || set == NULL) return -1;
  int error = allocate(&memory, 256);
  for (int i = 0; i < 10 && error == 0; ++i) error = set(memory, i, 256);
  return error;
}

static void OpenWith(int flags) {
  void* library = dlopen(Cudart(), flags);
  Say("opened %d work %d\n", library != NULL, WorkBy(library));
  SayError("after work");
  const int closed = dlclose(library);
  Say("closed %d\n", closed);
  SayError("after close");
}

static int Local(void) {
  for (int i = 0; i < 3; ++i) OpenWith(RTLD_NOW | RTLD_LOCAL);
  return 0;
}
static int Global(void) {
  OpenWith(RTLD_LAZY | RTLD_GLOBAL);
  Say("by default %d\n", WorkBy(RTLD_DEFAULT));
  return 0;
}
static int DeepBind(void) {
  OpenWith(RTLD_NOW | RTLD_DEEPBIND);
  return 0;
}

static int Namespace(void) {
  void* library = dlmopen(LM_ID_NEWLM, Cudart(), RTLD_NOW);
  if (library == NULL) {
    SayError("no namespace");
    return 1;
  }
  Say("work %d\n", WorkBy(library));
  SayError("after work");
  return 0;
}

// A message of the loader belongs to whoever made the mistake.
static int MessageStays(void) {
  void* library = dlopen(Cudart(), RTLD_NOW);
  const MallocFunction allocate = (MallocFunction)dlsym(library, "cudaMalloc");
  void* memory = NULL;
  dlopen("/nonexistent/library.so", RTLD_NOW);
  Say("first call %d\n", allocate(&memory, 256));
  SayError("of the library that does not exist");
  dlsym(library, "cudaNoSuchFunction");
  Say("later call %d\n", allocate(&memory, 256));
  SayError("of the function that does not exist");
  Say("again %d\n", WorkBy(library));
  SayError("nothing went wrong");
  return 0;
}

// Tells what a miss says, or whether there is a message at all.
static int LookUpMissing(int says_message) {
  static const char* const kNames[] = {"cudaMalloc",     "cuInit",
                                       "cudnnCreate",    "cublasCreate_v2",
                                       "ncclAllReduce",  "cudaNoSuchFunction",
                                       "nvtxRangePushA", "dlsym"};
  for (size_t i = 0; i < 2 * sizeof(kNames) / sizeof(kNames[0]); ++i) {
    const char* name = kNames[i / 2];
    void* found = dlsym(i % 2 == 0 ? RTLD_DEFAULT : RTLD_NEXT, name);
    if (says_message) {
      SayError(name);
    } else {
      const char* error = dlerror();
      Say("%s %d error %d\n", name, found != NULL,
          error != NULL && strstr(error, name) != NULL);
    }
  }
  return 0;
}
static int Missing(void) { return LookUpMissing(0); }
static int MissingMessage(void) { return LookUpMissing(1); }

static int MissingFromHandle(void) {
  void* library = dlopen(Cudart(), RTLD_NOW);
  Say("%d %d %d\n", dlsym(library, "cudaMalloc") != NULL,
      dlsym(library, "cublasCreate_v2") != NULL,
      dlsym(library, "cudnnCreate") != NULL);
  SayError("cudnnCreate");
  Say("same %d\n",
      dlsym(library, "cudaMalloc") == dlsym(library, "cudaMalloc"));
  void* versioned = dlvsym(library, "cudaMalloc", "NO_SUCH_VERSION");
  Say("versioned %d\n", versioned != NULL);
  SayError("version");
  const MallocFunction allocate =
      (MallocFunction)dlvsym(library, "cudaMalloc", NameOf(Cudart()));
  void* memory = NULL;
  Say("of its version %d\n",
      allocate != NULL ? (int)allocate(&memory, 256) : -1);
  const void* everywhere = dlvsym(RTLD_DEFAULT, "cudnnCreate", "libcudnn.so.9");
  const char* error = dlerror();
  Say("everywhere %d error %d\n", everywhere != NULL,
      error != NULL && strstr(error, "cudnnCreate") != NULL);
  return 0;
}

static int VersionOf(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return -1;
  const VersionFunction ask =
      (VersionFunction)dlsym(library, "cudaRuntimeGetVersion");
  int version = 0;
  const int error = ask(&version);
  Say("error %d version %d work %d\n", error, version, WorkBy(library));
  return 0;
}

static int TwoCopies(void) {
  VersionOf(Cudart());
  VersionOf(getenv("HOSTILE_CUDART_12"));
  VersionOf(Cudart());
  return 0;
}

static int PluginConstructor(void) {
  void* plugin = dlopen(getenv("HOSTILE_PLUGIN"), RTLD_NOW);
  SayError("plugin");
  Say("closed %d\n", plugin != NULL ? dlclose(plugin) : -1);
  plugin = dlopen(getenv("HOSTILE_PLUGIN"), RTLD_NOW);
  Say("again %d\n", plugin != NULL);
  return 0;
}

// A part of the program asks CUPTI for its version and is done with it; the
// program works on for longer than a profiler lets CUPTI alone.
static int UnloadedCupti(void) {
  void* cupti = dlopen(getenv("HOSTILE_CUPTI"), RTLD_NOW | RTLD_LOCAL);
  void* library = dlopen(Cudart(), RTLD_NOW);
  const VersionFunction ask =
      cupti != NULL ? (VersionFunction)dlsym(cupti, "cuptiGetVersion") : NULL;
  int version = 0;
  const int error = ask != NULL ? ask(&version) : -1;
  Say("error %d version %d work %d\n", error, version, WorkBy(library));
  for (int i = 0; i < 200; ++i) {
    if (i == 70) Say("closed %d\n", dlclose(cupti));
    if (WorkBy(library) != 0) return 1;
    usleep(10000);
  }
  Say("worked on\n");
  return 0;
}

static volatile int g_stop;

// Objects of the C library's that nothing here needs.
static void* LoadUntilStopped(void* argument) {
  static const char* const kNames[] = {"libresolv.so.2", "librt.so.1",
                                       "libutil.so.1"};
  while (!g_stop) {
    for (size_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
      void* library = dlopen(kNames[i], RTLD_NOW);
      if (library != NULL) dlclose(library);
    }
  }
  return argument;
}

// Some children are made while a thread has a lock of the loader's.
static int ForksMeanwhile(void) {
  void* library = dlopen(Cudart(), RTLD_NOW);
  const MallocFunction allocate = (MallocFunction)dlsym(library, "cudaMalloc");
  Say("work %d\n", WorkBy(library));
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    pthread_create(&threads[i], NULL, LoadUntilStopped, NULL);
  }
  int ended = 0;
  for (int i = 0; i < 100; ++i) {
    void* memory = NULL;
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      allocate(&memory, 256);
      _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ended += WIFEXITED(status) && WEXITSTATUS(status) == 5;
    if (!WIFEXITED(status)) break;
  }
  g_stop = 1;
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  Say("ended %d work %d\n", ended, WorkBy(library));
  return 0;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(void);
  } kModes[] = {
      {"local", Local},
      {"global", Global},
      {"deepbind", DeepBind},
      {"namespace", Namespace},
      {"message_stays", MessageStays},
      {"missing", Missing},
      {"missing_message", MissingMessage},
      {"missing_from_handle", MissingFromHandle},
      {"two_copies", TwoCopies},
      {"plugin_constructor", PluginConstructor},
      {"unloaded_cupti", UnloadedCupti},
      {"forks_meanwhile", ForksMeanwhile},
  };
  for (size_t i = 0; argc > 1 && i < sizeof(kModes) / sizeof(kModes[0]); ++i) {
    if (strcmp(kModes[i].name, argv[1]) == 0) return kModes[i].run();
  }
  return 98;
}
