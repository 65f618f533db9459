// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_UPDATE_RUN_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_UPDATE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

// The kernels of one update, from the last one of a pass to the first one of
// the next. METRICS.md "Avoidable work", tensor_update and what follows.
namespace dltap::analyzer {

struct UpdateKernel {
  enum class Of : uint8_t {
    kWholeUpdate,  // fused, of all that it updates
    kList,         // one operator on a list of tensors
    kTensor,       // one operator on a tensor, whose bytes are known
    kUnknown
  };
  Of of;
  bool last_of_adam;
  bool sums_lists;  // as a step of SGD on lists does
  bool is_new;
  double ns;
  double bytes;
};

class UpdateRun {
 public:
  void Add(const UpdateKernel& kernel);
  void Clear() { *this = {}; }
  const std::vector<UpdateKernel>& kernels() const { return kernels_; }

  // Whether a fused update or one of lists is in the run.
  bool tells_update() const { return update_at_.has_value(); }
  // Whether Adam's last operation on one tensor is.
  bool has_tensor_adam() const { return has_tensor_adam_; }

  // Whether the kernel lies beside an update that is fused, or goes over lists,
  // and belongs to neither: nullopt where no such update tells, or where one of
  // tensors is among them.
  enum class Side : uint8_t { kBefore, kAfter };
  std::optional<Side> SideOf(size_t kernel) const;

 private:
  std::vector<UpdateKernel> kernels_;
  std::optional<size_t> update_at_;
  bool is_fused_ = false;
  bool has_tensor_adam_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_UPDATE_RUN_H_
