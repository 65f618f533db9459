// SPDX-License-Identifier: Apache-2.0
// poisoned_calls [main|thread] [PROOF]: makes recorded, counted and followed
// calls while everything that a recorded call must not reach ends the program
// with exit code 9 and its name on stderr: the heap and locks (functions of our
// own in their place), system calls (a seccomp filter). PROOF (malloc, lock,
// call) does one of them on purpose.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int cudaMalloc(void** p, size_t n);
int cudaMemset(void* p, int value, size_t n);
int cudaGetDevice(int* device);
int cublasSetStream_v2(void* handle, void* stream);
int cublasStrmv_v2(void*, int, int, int, int, const float*, int, float*, int);
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int,
                 int, const void*, int, int, const void*, void*, int, int, int,
                 int);

int cudnnBackendCreateDescriptor(int type, void** descriptor);
int cudnnBackendSetAttribute(void*, int, int, long, const void*);
int cudnnBackendDestroyDescriptor(void* descriptor);
int cudnnBackendExecute(void* handle, void* plan, void* pack);

static __thread int t_poisoned;
static const char* g_proof = "";

static void Die(const char* what) {
  t_poisoned = 0;
  if (write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0) _exit(8);
  _exit(9);
}

static void Check(const char* what) {
  if (t_poisoned) Die(what);
}

// In the place of the C library's, for every library of the process.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void __libc_free(void* memory);

void* malloc(size_t bytes) {
  Check("malloc");
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  Check("calloc");
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  Check("realloc");
  return __libc_realloc(memory, bytes);
}
void free(void* memory) {
  Check("free");
  __libc_free(memory);
}
// Nothing else of this program locks while it runs.
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  (void)mutex;
  Check("pthread_mutex_lock");
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  (void)lock;
  Check("pthread_rwlock_rdlock");
  return 0;
}
int sem_wait(sem_t* semaphore) {
  (void)semaphore;
  Check("sem_wait");
  return 0;
}

static void OnCall(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  char text[50];
  snprintf(text, sizeof(text), "system call %d", info->si_syscall);
  Die(text);
}

// Only of this thread: write and the program's end are left to it.
static void ForbidCalls(void) {
  const struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof(code) / sizeof(code[0]),
                                     (struct sock_filter*)code};
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = OnCall;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, NULL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(77);
}

// As PyTorch does for each convolution.
static void ExecuteWithNewPack(void) {
  static __thread char plan, pack;
  static const long uids[] = {1, 2, 3};
  void* const pointers[] = {&plan, &plan, &plan};
  void* descriptor = &pack;
  cudnnBackendCreateDescriptor(16, &descriptor);
  cudnnBackendSetAttribute(&pack, 1000, 3, 3, uids);
  cudnnBackendSetAttribute(&pack, 1001, 6, 3, pointers);
  cudnnBackendExecute(&pack, &plan, &pack);
  cudnnBackendDestroyDescriptor(&pack);
}

static void Calls(int count) {
  static int object;
  int device;
  for (int i = 0; i < count; ++i) {
    cudaMemset(NULL, 0, 64);
    cudaGetDevice(&device);
    cublasSetStream_v2(&object, NULL);
    cublasStrmv_v2(&object, 0, 1, 2, 64, NULL, 64, NULL, 1);
    cublasGemmEx(&object, 0, 1, 64, 64, 64, NULL, NULL, 2, 64, NULL, 2, 64,
                 NULL, NULL, 2, 64, 68, -1);
    ExecuteWithNewPack();
  }
}

static void Prove(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  void* volatile memory = NULL;
  if (strcmp(g_proof, "malloc") == 0) memory = malloc(1);
  if (strcmp(g_proof, "lock") == 0) pthread_mutex_lock(&mutex);
  if (strcmp(g_proof, "call") == 0) syscall(SYS_gettid);
  (void)memory;
}

// `rounds`: less than half of the thread's ring, after which it would wake the
// collector, by a system call.
static void* Poisoned(void* rounds) {
  Calls(20);
  usleep(300000);  // the collector has brought the ring's pages and drained it
  ForbidCalls();
  t_poisoned = 1;
  Calls(*(const int*)rounds);
  Prove();
  t_poisoned = 0;
  if (write(1, "unharmed\n", 9) < 0) _exit(8);
  _exit(0);
}

int main(int argc, char** argv) {
  static const int kInMain = 1000;
  static const int kInThread = 60;
  void* memory = NULL;
  cudaMalloc(&memory, 1);  // starts the session
  if (argc > 2) g_proof = argv[2];
  if (argc < 2 || strcmp(argv[1], "thread") != 0) Poisoned((void*)&kInMain);
  pthread_t thread;
  pthread_create(&thread, NULL, Poisoned, (void*)&kInThread);
  for (;;) pause();
}
