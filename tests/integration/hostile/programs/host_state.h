// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_INTEGRATION_HOSTILE_PROGRAMS_HOST_STATE_H_
#define DLTAP_TESTS_INTEGRATION_HOSTILE_PROGRAMS_HOST_STATE_H_

// What all hostile programs share: a little GPU work, a way to say everything
// that a process can see of itself, and the choice of one mode of many. What a
// program says must not depend on chance, so that two runs can be compared.

#ifdef __cplusplus
extern "C" {
#endif

// ---- GPU work. Each returns the first CUDA error, 0 without one.

int LaunchKernel(int* numbers, void* stream);
int Launch(void);
// One allocation, `launches` launches, memsets, copies, a synchronization.
int Work(int launches);
// So many rounds of 10 ms of it, and says how many failed: of 40, several
// passes of whoever works beside the program see some.
void WorkAWhile(int rounds);
// On a thread of its own, which is joined; its error.
int RunThread(void* (*run)(void*));
// 2,000 launches, and says how many failed; ignores its argument.
void* LaunchOften(void* ignored);
// A call that fails and leaves an error behind in cudaPeekAtLastError.
int FailingCall(void);

// ---- Words. They go to descriptor 1 by one write each.

void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Everything that a process sees of itself: errno, dlerror(), the last CUDA
// error, dispositions and masks of signals, open descriptors, threads at rest,
// limits, folder, umask, floating-point control words, environment. What the
// tap may own is left out: its descriptors, its thread, its variables.
void SayState(const char* moment);
// How that child ended.
void SayEnd(const char* who, int status);

// ---- Surroundings

// A path below $HOSTILE_FOLDER; valid until the next call.
const char* Folder(const char* below);
// The soft limit of a resource, RLIMIT_*.
void SetLimit(int resource, unsigned long value);

// ---- Modes

struct Mode {
  const char* name;
  int (*run)(void);
};

// Runs the mode that argv[1] names; 98: there is none.
int RunMode(const struct Mode* modes, int count, int argc, char** argv);

#define RUN_MODE(modes, argc, argv) \
  RunMode(modes, (int)(sizeof(modes) / sizeof((modes)[0])), argc, argv)

#ifdef __cplusplus
}
#endif

#endif  // DLTAP_TESTS_INTEGRATION_HOSTILE_PROGRAMS_HOST_STATE_H_
