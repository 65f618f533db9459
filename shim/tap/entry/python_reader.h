// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_PYTHON_READER_H_
#define DLTAP_SHIM_TAP_ENTRY_PYTHON_READER_H_

#include <atomic>
#include <cstdint>

#include "shim/tap/entry/memory_view.h"
#include "shim/tap/entry/python_layout.h"
#include "shim/tap/entry/site_definition.h"

namespace dltap::shim {

// The frames of a thread, innermost first, without those of C.
struct PythonPath {
  static constexpr int kMostFrames = 256;
  struct Frame {
    uintptr_t frame;
    uintptr_t code;
    uintptr_t instruction;
  };
  uintptr_t thread_state;
  uintptr_t innermost_at;  // where it is noted which frame that is
  int count;
  bool goes_on;  // beyond the last one
  Frame frames[kMostFrames];
};

// Which frame of `after` is the innermost that was there before, too, with all
// around it at the same calls; `after.count`: none.
int StablePart(const PythonPath& before, const PythonPath& after);

// Copies of a thread's path, one after the other while it runs, and how much of
// it stayed. Where a generator yields it is cut from what is around it, and a
// copy of that moment ends there. Such a one does not count, and another is
// taken: else what yields a lot would be seen too seldom.
class PathCopies {
 public:
  static constexpr int kMostTorn = 8;

  // So many are compared, after a first one, by which the others are copied.
  explicit PathCopies(int compared) : compared_(compared) {}

  // One more, which may be none that can be read. `path` becomes `before` where
  // it is not to be the one with which the next is compared.
  void Take(bool was_read, const PythonPath& before, PythonPath* path);
  int count() const { return count_; }
  bool AreEnough() const { return count_ > compared_; }
  // All the time they were of more than one moment.
  bool AreTorn() const { return torn_ == kMostTorn; }
  // Of the last path, the innermost frame that stayed.
  int First(const PythonPath& path) const { return path.count - stayed_; }

 private:
  int compared_;
  int count_ = 0;
  int torn_ = 0;
  int stayed_ = PythonPath::kMostFrames;
};

// Reads what an interpreter keeps, by way of the kernel: memory that is not
// what it is taken for gives false, never a fault. Of another thread than the
// calling one the frames may change meanwhile: what is read then is no frame,
// or one that it has just left.
struct PythonReader {
  const PythonLayout* layout;
  uintptr_t code_type;
  uintptr_t text_type;
  uintptr_t bytes_type;
  uintptr_t cell_type;
  std::atomic<uintptr_t> module_call;  // code of torch.nn.Module._call_impl

  // The innermost frame of a thread, 0 where it runs no Python, and in the path
  // where that was found. False: its state cannot be read.
  bool FindFrame(MemoryView& memory, uintptr_t thread_state, uintptr_t* frame,
                 PythonPath* path) const;

  // The path from that frame on; what it says of code is not looked at. False:
  // not all of it are frames.
  bool ReadPath(MemoryView& memory, uintptr_t frame, PythonPath* path) const;

  // Copies what both will read where the path is still that one, `inwards`
  // from the outermost frame on. So frames that lie side by side, as from 3.11
  // on, are copied at once.
  void FetchFrames(MemoryView& memory, const PythonPath& path,
                   bool inwards) const;
  bool AreSideBySide() const { return layout->owner >= 0; }

  // Whether the code of each, from a frame on, has what the layout says.
  bool LooksRight(MemoryView& memory, const PythonPath& path, int first) const;
  // Stands for the path from a frame on, wherever in its code that one is: of
  // each what Describe() says, for other code may come to lie where some was.
  // 0: it cannot be read, or is none.
  uint64_t HashPath(MemoryView& memory, const PythonPath& path,
                    int first) const;

  // The line that a frame executes; 0: not known.
  uint32_t Line(MemoryView& memory, const PythonPath::Frame& frame) const;

  // Puts the path from a frame on into the definition, and notes
  // `module_call`. False: it cannot be read.
  bool Describe(MemoryView& memory, const PythonPath& path, int first,
                SiteDefinition* site);

 private:
  bool IsCode(MemoryView& memory, uintptr_t code) const;
  bool MixText(MemoryView& memory, const PythonText& text,
               uint64_t* hash) const;
  bool LoadTexts(MemoryView& memory, uintptr_t code, PythonText* name,
                 PythonText* file) const;
  bool MixFrame(MemoryView& memory, const PythonPath::Frame& frame,
                uint64_t* hash) const;
  bool AddFrame(MemoryView& memory, const PythonPath::Frame& frame,
                SiteDefinition* site);
  uint32_t ClassOfSelf(MemoryView& memory, uintptr_t frame, char* out,
                       uint32_t most) const;
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_PYTHON_READER_H_
