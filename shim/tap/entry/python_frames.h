// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_PYTHON_FRAMES_H_
#define DLTAP_SHIM_TAP_ENTRY_PYTHON_FRAMES_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/memory_view.h"
#include "shim/tap/entry/python_reader.h"
#include "shim/tap/entry/site_definition.h"

namespace dltap::shim {

// The interpreter of this process, and the Python frames of the calling thread.
// A thread's frames do not change while it is inside a call that Python has
// made, whoever holds the interpreter's lock: nothing of Python's is locked,
// allocated or changed here. All zeros is the state before anything was looked
// for; then its memory is only trusted after CheckLayout().
class PythonConnection {
 public:
  // Looks for an interpreter, if something was loaded since the last time. True
  // in the one call that has found it.
  bool Connect();
  // By another thread, now: nobody knows yet who runs Python.
  bool IsBeingFound() const;
  // Whether the interpreter knows the calling thread.
  bool HasThread() const { return this_thread_() != nullptr; }
  // Whether the program has not unloaded it, as far as the loader's counts tell
  // without its lock; with it where they have changed.
  bool IsStillThere();
  // One whose frames may be read; else why_not() says why, if there is any.
  bool is_usable() const;
  const char* why_not() const;

  // Before frames are read without asking the kernel: whether the calling
  // thread's look as the layout says. They decide for the process.
  enum class Check : uint8_t { kNoFrames, kDone };
  bool is_checked() const;
  Check CheckLayout(MemoryView& memory, PythonPath* path);

  // Stands for the whole path: code, line and, where a module is called, its
  // class. 0: the thread has no frames. Hot, some 20 ns a frame.
  uint64_t HashPath() const;

  // Puts the frames into the definition, by way of `path`. False: they cannot
  // be read.
  bool Describe(MemoryView& memory, PythonPath* path, SiteDefinition* site);

  // ---- Of any thread, on which nothing is asked: what reads its frames.
  PythonReader& reader() { return reader_; }
  // The newest thread state of the main interpreter. Calls functions of
  // Python's that look at two variables, under the loader's lock, lest they go
  // meanwhile. 0: there is none, or they are not known, or the interpreter
  // ends, or the program has unloaded it, and `is_gone` says so.
  uintptr_t NewestThread(bool* is_gone) const;

 private:
  uintptr_t AskNewestThread() const;
  bool IsIn(const LoadedObjects& objects) const;
  enum class State : uint32_t { kNone, kFound, kChecked, kRefused };

  uintptr_t FirstFrame() const;
  void Refuse(const char* why_not);
  State state() const {
    return static_cast<State>(state_.load(std::memory_order_acquire));
  }

  std::atomic<uint32_t> state_;
  std::atomic<uint32_t> looking_;
  std::atomic<uint64_t> looked_;  // loads of the loader then, plus 1
  std::atomic<uint64_t> seen_;    // loads and objects, when it was still there
  std::atomic<const char*> why_not_;
  PythonReader reader_;
  void* (*this_thread_)();  // PyGILState_GetThisThreadState
  int (*is_finalizing_)();
  void* (*main_)();                            // PyInterpreterState_Main
  void* (*newest_thread_)(void* interpreter);  // .._ThreadHead
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_PYTHON_FRAMES_H_
