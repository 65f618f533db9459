// SPDX-License-Identifier: Apache-2.0
// changes MODE: programs whose surroundings change in the midst of a run: what
// they may do, where their code and tables lie, what an instruction does.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/close_range.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/hostile/programs/host_state.h"

static int WorkAndSay(const char* moment) {
  WorkAWhile(15);
  SayState(moment);
  return 0;
}

// ---- What it may do

static int DescriptorLimitLater(void) {
  Say("work %d\n", Work(3));
  SetLimit(RLIMIT_NOFILE, 16);
  WorkAWhile(15);
  int taken = 0;
  while (open("/dev/null", O_RDONLY) >= 0) ++taken;
  Say("taken %d\n", taken);
  return WorkAndSay("without descriptors");
}

static int StackLimitLater(void) {
  Say("work %d\n", Work(3));
  SetLimit(RLIMIT_STACK, 64 << 10);
  WorkAWhile(15);
  for (int i = 0; i < 20; ++i) RunThread(LaunchOften);
  return WorkAndSay("small stack");
}

static int ProcessLimitLater(void) {
  Say("work %d\n", Work(3));
  if (setresuid(65534, 65534, 0) != 0) return 97;
  SetLimit(RLIMIT_NPROC, 0);
  WorkAWhile(15);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  Say("child %d\n", child > 0);
  Say("thread %d\n", RunThread(LaunchOften));
  return WorkAndSay("no more processes");
}

// The kernel's credentials are those of a thread; the C library keeps them
// equal, the kernel does not.
static void* Drop(void* ignored) {
  Say("dropped %ld\n", syscall(SYS_setresuid, 65534, 65534, 65534));
  LaunchOften(ignored);
  Say("user %ld\n", syscall(SYS_geteuid));
  return NULL;
}
static int ThreadDropsUser(void) {
  Say("work %d\n", Work(3));
  RunThread(Drop);
  Say("user %ld\n", syscall(SYS_geteuid));
  return WorkAndSay("dropped");
}
static int ThreadDropsUserFirst(void) {
  RunThread(Drop);
  return WorkAndSay("dropped");
}

static int LocksLater(void) {
  Say("work %d\n", Work(3));
  Say("locked %d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
  for (int i = 0; i < 8; ++i) RunThread(LaunchOften);
  return WorkAndSay("locked");
}

// ---- Descriptors

// From here this thread's table of descriptors is its own, and empty.
static int OwnTableOfDescriptors(void) {
  Say("work %d\n", Work(3));
  Say("unshared %ld\n", syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_UNSHARE));
  WorkAWhile(15);
  for (int i = 0; i < 4; ++i) RunThread(LaunchOften);
  Say("lowest %d\n", open("/dev/null", O_RDONLY));
  return WorkAndSay("own table");
}

// As one that hands memory to others makes sure that it stays as it is.
static int SealsEverything(void) {
  Say("work %d\n", Work(3));
  const int own = memfd_create("own", MFD_ALLOW_SEALING);
  for (int fd = 3; fd < 1024; ++fd) {
    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
  }
  Say("seals %x\n", fcntl(own, F_GET_SEALS));
  close(own);
  for (int i = 0; i < 8; ++i) RunThread(LaunchOften);
  return WorkAndSay("sealed");
}

// ---- Memory

// Pages of the program come when a thread of its own says so, and that thread
// launches before it does. What a call is given lies in such pages.
enum { kPages = 64 };
static char* g_lazy;
static int g_faults = -1;
static void* ServeFaults(void* ignored) {
  static char page[4096];
  int served = 0, errors = 0;
  while (served < kPages) {
    struct uffd_msg message;
    if (read(g_faults, &message, sizeof(message)) != sizeof(message)) break;
    errors += Launch() != 0;
    struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~0xFFFull,
                               .src = (unsigned long)page,
                               .len = sizeof(page)};
    errors += ioctl(g_faults, UFFDIO_COPY, &copy) != 0;
    ++served;
  }
  Say("served %d errors %d\n", served, errors);
  return ignored;
}
static int FaultsByItself(void) {
  Say("work %d\n", Work(3));
  g_lazy = mmap(NULL, kPages * 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register area = {
      .range = {(unsigned long)g_lazy, kPages * 4096},
      .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (g_faults < 0 || ioctl(g_faults, UFFDIO_API, &api) != 0 ||
      ioctl(g_faults, UFFDIO_REGISTER, &area) != 0) {
    Say("no such descriptor\n");
    return WorkAndSay("without");
  }
  pthread_t thread;
  pthread_create(&thread, NULL, ServeFaults, NULL);
  int errors = 0;
  for (int i = 0; i < kPages; ++i) {
    void** at = (void**)(g_lazy + i * 4096);
    errors += cudaMalloc(at, 256) != 0;
    errors += cudaFree(*at) != 0;
  }
  pthread_join(thread, NULL);
  close(g_faults);
  Say("errors %d\n", errors);
  return WorkAndSay("served");
}

// Stacks that the program maps itself, at one place, and takes away at once.
static void* LaunchHere(void* ignored) {
  Launch();
  return ignored;
}
static int StacksThatGo(void) {
  Say("work %d\n", Work(3));
  const size_t bytes = 64 << 10;
  char* place = NULL;
  int threads = 0;
  for (int i = 0; i < 200; ++i) {
    char* stack = mmap(place, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    place = stack;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, bytes);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, LaunchHere, NULL) == 0) {
      ++threads;
      pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&attributes);
    munmap(stack, bytes);
  }
  Say("threads %d\n", threads);
  return WorkAndSay("stacks gone");
}

// As tools do that bring code into large pages: every object's code is copied
// to memory of no file, which takes its place.
static int MoveCode(struct dl_phdr_info* object, size_t size, void* count) {
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    // Not what runs meanwhile.
    const char* const kept[] = {"libc.so", "ld-linux", "vdso"};
    for (int k = 0; k < 3; ++k) {
      if (strstr(object->dlpi_name, kept[k]) != NULL) return 0;
    }
    if (object->dlpi_name[0] == '\0') return 0;
    char* begin = (char*)((object->dlpi_addr + part->p_vaddr) & ~0xFFFul);
    char* end = (char*)(object->dlpi_addr + part->p_vaddr + part->p_memsz);
    const size_t bytes = ((size_t)(end - begin) + 0xFFF) & ~0xFFFul;
    char* copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(copy, begin, (size_t)(end - begin));
    mprotect(copy, bytes, PROT_READ | PROT_EXEC);
    const int moved = mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                             begin) == begin;
    *(int*)count += !moved;
  }
  return 0;
}
static int MovesAllCode(void) {
  Say("work %d\n", Work(3));
  int failed = 0;
  dl_iterate_phdr(MoveCode, &failed);
  Say("failed %d\n", failed);
  RunThread(LaunchOften);
  return WorkAndSay("moved");
}

static int GivesMemoryBack(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 15; ++i) {
    char line[512];
    FILE* maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof(line), maps) != NULL) {
      unsigned long begin, end;
      if (sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
      madvise((void*)begin, end - begin, MADV_PAGEOUT);
      madvise((void*)begin, end - begin, MADV_COLD);
    }
    fclose(maps);
    malloc_trim(0);
    Work(200);
    usleep(10000);
  }
  return WorkAndSay("given back");
}

// ---- Instructions

static void* WithoutClock(void* ignored) {
  Say("counter %d\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
  int device = 0;
  int errors = 0;
  for (int i = 0; i < 100; ++i) errors += cudaGetDevice(&device) != 0;
  prctl(PR_SET_TSC, PR_TSC_ENABLE);
  Say("errors %d\n", errors);
  return ignored;
}
static int NoCycleCounter(void) {
  Say("work %d\n", Work(3));
  RunThread(WithoutClock);
  return WorkAndSay("counted");
}

static int NoProcessorId(void) {
  Say("work %d\n", Work(3));
  const long set = syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0);
  WorkAWhile(15);
  if (set == 0) syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1);
  return WorkAndSay("identified");
}

// ---- Code of the program

// As hooking libraries do: the program's own table of addresses leads to its
// own function, which calls what was there.
typedef cudaError_t (*Memset)(void*, int, size_t, cudaStream_t);
static Memset g_was;
static int g_hooked;
static cudaError_t Hook(void* at, int value, size_t bytes,
                        cudaStream_t stream) {
  ++g_hooked;
  return g_was(at, value, bytes, stream);
}
static int PatchOwnTable(struct dl_phdr_info* object, size_t size,
                         void* found) {
  (void)size;
  const ElfW(Dyn)* entry = NULL;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      entry = (void*)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    }
  }
  const ElfW(Sym)* symbols = NULL;
  const char* names = NULL;
  const ElfW(Rela) * tables[2] = {NULL, NULL};
  size_t bytes[2] = {0, 0};
  for (; entry != NULL && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = (void*)entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = (void*)entry->d_un.d_ptr;
    if (entry->d_tag == DT_JMPREL) tables[0] = (void*)entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) tables[1] = (void*)entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELASZ) bytes[1] = entry->d_un.d_val;
  }
  for (int t = 0; t < 2; ++t) {
    for (size_t i = 0; i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)* place = &tables[t][i];
      const char* name = names + symbols[ELF64_R_SYM(place->r_info)].st_name;
      if (strcmp(name, "cudaMemsetAsync") != 0) continue;
      void** slot = (void**)(object->dlpi_addr + place->r_offset);
      void* page = (void*)((unsigned long)slot & ~0xFFFul);
      mprotect(page, 4096, PROT_READ | PROT_WRITE);
      g_was = (Memset)*slot;
      *slot = (void*)Hook;
      *(int*)found = 1;
    }
  }
  return 1;  // the program is the first object
}
static int PatchesOwnTable(void) {
  Say("work %d\n", Work(3));
  int found = 0;
  dl_iterate_phdr(PatchOwnTable, &found);
  Say("found %d work %d hooked %d\n", found, Work(10), g_hooked);
  return WorkAndSay("hooked");
}

static int CopyPlugin(int out) {
  const int in = open(getenv("HOSTILE_PLUGIN"), O_RDONLY);
  struct stat status;
  fstat(in, &status);
  const ssize_t sent = sendfile(out, in, NULL, (size_t)status.st_size);
  close(in);
  return sent == status.st_size;
}
static int LoadPlugin(const char* path) {
  void* module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Say("loaded %d\n", module != NULL);
  const int launched = Work(20);
  if (module != NULL) dlclose(module);
  return launched;
}
static int ModuleOfMemory(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 5; ++i) {
    const int file = memfd_create("module", 0);
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    Say("copied %d\n", CopyPlugin(file));
    Say("work %d\n", LoadPlugin(path));
    close(file);
  }
  return WorkAndSay("modules gone");
}
static int ModuleIsReplaced(void) {
  Say("work %d\n", Work(3));
  for (int i = 0; i < 5; ++i) {
    unlink(Folder("module.so"));
    const int file = open(Folder("module.so"), O_CREAT | O_RDWR, 0700);
    Say("copied %d\n", CopyPlugin(file));
    close(file);
    void* module = dlopen(Folder("module.so"), RTLD_NOW | RTLD_LOCAL);
    unlink(Folder("module.so"));
    const int other = open(Folder("module.so"), O_CREAT | O_RDWR, 0700);
    if (write(other, "no module", 9) != 9) return 97;
    close(other);
    Say("loaded %d work %d\n", module != NULL, Work(20));
    if (module != NULL) dlclose(module);
  }
  return WorkAndSay("modules gone");
}

// ---- Before and after main()

static int g_early = -1;
static void Early(int argc, char** argv, char** environment) {
  (void)environment;
  if (argc > 1 && strcmp(argv[1], "works_before_constructors") == 0) {
    int device = 0;
    g_early = cudaGetDevice(&device);
  }
}
__attribute__((section(".preinit_array"),
               used)) static void (*g_preinit)(int, char**, char**) = Early;
static int WorksBeforeConstructors(void) {
  Say("early %d\n", g_early);
  return WorkAndSay("begun");
}

int main(int argc, char** argv) {
  const struct Mode modes[] = {
      {"descriptor_limit_later", DescriptorLimitLater},
      {"stack_limit_later", StackLimitLater},
      {"process_limit_later", ProcessLimitLater},
      {"thread_drops_user", ThreadDropsUser},
      {"thread_drops_user_first", ThreadDropsUserFirst},
      {"locks_later", LocksLater},
      {"own_table_of_descriptors", OwnTableOfDescriptors},
      {"seals_everything", SealsEverything},
      {"faults_by_itself", FaultsByItself},
      {"stacks_that_go", StacksThatGo},
      {"moves_all_code", MovesAllCode},
      {"gives_memory_back", GivesMemoryBack},
      {"no_cycle_counter", NoCycleCounter},
      {"no_processor_id", NoProcessorId},
      {"patches_own_table", PatchesOwnTable},
      {"module_of_memory", ModuleOfMemory},
      {"module_is_replaced", ModuleIsReplaced},
      {"works_before_constructors", WorksBeforeConstructors},
  };
  return RUN_MODE(modes, argc, argv);
}
