// SPDX-License-Identifier: Apache-2.0
// One call by two ways. Between the first call of the one and that of the
// other, the program has the kernel refuse to read memory for it.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b,
                   int ldb, const float* beta, float* c, int ldc);

static void* g_handle;

__attribute__((noinline)) static int Multiply(void) {
  const float one = 1;
  errno = 77;
  return cublasSgemm_v2(g_handle, 0, 0, 64, 64, 64, &one, 0, 64, 0, 64, &one, 0,
                        64) == 0 &&
         errno == 77;
}
__attribute__((noinline)) int Before(void) { return Multiply() + 1; }
__attribute__((noinline)) int After(void) { return Multiply() + 1; }

static int RefuseReads(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(void) {
  int (*const ways[])(void) = {Before, After, Before, After};
  if (cublasCreate_v2(&g_handle) != 0) return 1;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += ways[i]();
    if (i == 0 && !RefuseReads()) return 3;
  }
  return sum == 8 ? 0 : 2;
}
