// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_VARIANT_PACK_H_
#define DLTAP_SHIM_TAP_TAGGING_VARIANT_PACK_H_

#include <array>
#include <cstdint>
#include <cstring>

namespace dltap::shim::tagging {

// What a variant pack of cuDNN says: where the tensors of a plan lie, by unique
// id, and the workspace. Kept as it was set last, attribute by attribute, in
// whatever order; of more than kMaxTensors the first.
// Threads: one sets it while none executes it (cuDNN's rule). Without that rule
// an address may be of an older call, and nothing worse.
class VariantPack {
 public:
  static constexpr int kMaxTensors = 64;

  // Of attributes 1000 to 1012. `type` is a cudnnBackendAttributeType_t: what
  // does not have the one of its attribute is not read.
  void Set(int32_t name, int32_t type, int64_t count, const void* elements) {
    if (name >= kOverrideUniqueIds) {
      is_overridden_ = true;
    } else if (name == kUniqueIds && type == kInt64) {
      uid_count_ = Copy(uids_.data(), count, elements);
    } else if (name == kDataPointers && type == kVoidPointer) {
      pointer_count_ = Copy(pointers_.data(), count, elements);
    } else if (name == kWorkspace && type == kVoidPointer) {
      memcpy(&workspace_, elements, sizeof(workspace_));
    }
  }

  // Nothing was set yet. (The rest of it is then not looked at.)
  void Clear() {
    uid_count_ = 0;
    pointer_count_ = 0;
    is_overridden_ = false;
    workspace_ = 0;
  }

  // How many ids have an address.
  int32_t count() const {
    return uid_count_ < pointer_count_ ? uid_count_ : pointer_count_;
  }

  // The address of `uid` among the first count() ids; false: it is not there.
  // `likely`: where it most often is, since clients list the tensors of a node
  // in the order of its slots.
  bool Find(int64_t uid, int32_t count, int32_t likely,
            uint64_t* address) const {
    if (likely >= count || uids_[likely] != uid) [[unlikely]] {
      return Search(uid, count, address);
    }
    *address = pointers_[likely];
    return true;
  }

  // 0: none was set.
  uint64_t workspace() const { return workspace_; }
  // The tensors have other shapes than the plan was made for.
  bool is_overridden() const { return is_overridden_; }

 private:
  // By number, as an older cudnn_graph.h does not name all of them.
  static constexpr int32_t kUniqueIds = 1000;
  static constexpr int32_t kDataPointers = 1001;
  static constexpr int32_t kWorkspace = 1003;
  static constexpr int32_t kOverrideUniqueIds = 1010;
  static constexpr int32_t kInt64 = 3;
  static constexpr int32_t kVoidPointer = 6;

  // Out of line: the code of the hot path stays small.
  [[gnu::noinline]] bool Search(int64_t uid, int32_t count,
                                uint64_t* address) const {
    for (int32_t i = 0; i < count; ++i) {
      if (uids_[i] != uid) continue;
      *address = pointers_[i];
      return true;
    }
    return false;
  }

  static int32_t Copy(void* to, int64_t count, const void* elements) {
    const int64_t kept = count < kMaxTensors ? count : kMaxTensors;
    memcpy(to, elements, kept * sizeof(uint64_t));
    return static_cast<int32_t>(kept);
  }

  int32_t uid_count_ = 0;
  int32_t pointer_count_ = 0;
  bool is_overridden_ = false;
  uint64_t workspace_ = 0;
  std::array<int64_t, kMaxTensors> uids_{};
  std::array<uint64_t, kMaxTensors> pointers_{};
};

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_VARIANT_PACK_H_
