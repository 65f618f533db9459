// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_UNFOLDED_CONVOLUTIONS_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_UNFOLDED_CONVOLUTIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "opmodel/operation.h"

namespace dltap::analyzer {

// Convolutions of one sample after the other, each as a product with patches
// that a kernel unfolds before it (im2col), or folds behind it (col2im): what
// frameworks do without cuDNN. METRICS.md "Avoidable work",
// unfolded_convolutions.
class UnfoldedConvolutions {
 public:
  struct Kernel {
    double ns;
    bool is_new;
  };
  struct Product {
    std::array<int64_t, 3> sizes;  // m, n, k
    double ns;
    double best_ns;   // of a convolution that does the same, by itself
    double worst_ns;  // and at worst
  };
  struct Sums {
    uint64_t count = 0;  // products
    double ns = 0;       // with their patches
    double best_ns = 0;
    double worst_ns = 0;
  };

  // All kernels of a device in time; of a product that takes several, the
  // first.
  void AddUnfold(const Kernel& kernel);
  void AddProduct(const Product& product);
  void AddFold(const Kernel& kernel);
  void AddOther() { EndRow(); }
  // Those since it was asked.
  Sums Take();

 private:
  enum class Stage : uint8_t { kNone, kUnfolded, kMultiplied };
  void AddPair(const Kernel& patches);
  void EndRow();

  Stage stage_ = Stage::kNone;
  Kernel unfold_{};
  Product product_{};
  std::array<int64_t, 3> sizes_{};  // of the last pair
  size_t pairs_ = 0;                // of equal ones, one after the other
  Sums row_;                        // of these
  Sums sums_;                       // of rows of several
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_UNFOLDED_CONVOLUTIONS_H_
