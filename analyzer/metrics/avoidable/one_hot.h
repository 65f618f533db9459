// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_AVOIDABLE_ONE_HOT_H_
#define DLTAP_ANALYZER_METRICS_AVOIDABLE_ONE_HOT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <set>

#include "opmodel/operation.h"

namespace dltap::analyzer {

// Rows of zeros and a one that multiply a table, to take rows out of it: zeros,
// a scatter, a cast, and a product with as many elements as the zeros.
// METRICS.md "Avoidable work", one_hot.
class OneHot {
 public:
  struct Kernel {
    double ns;
    bool is_new;
  };
  struct Sums {
    uint64_t count = 0;     // products
    double ns = 0;          // with what makes their operand
    double result = 0;      // elements of the products
    bool of_table = false;  // the product makes the table's gradient
  };

  // All kernels of a device in time. `bytes` is what a fill of integers writes.
  void AddFill(double bytes, const Kernel& kernel);
  void AddScatter(const Kernel& kernel);
  void AddCast(const Kernel& kernel);
  std::optional<Sums> AddProduct(const opmodel::Operation& op,
                                 const Kernel& kernel, bool is_backward);
  void AddOther() { made_ = {}; }

 private:
  enum class Stage : uint8_t { kNone, kFilled, kScattered, kCast };
  struct Made {
    Stage stage = Stage::kNone;
    double elements = 0;
    double ns = 0;
  };
  void Advance(Stage from, Stage to, const Kernel& kernel);
  bool IsOperand(int64_t rows, int64_t columns) const;

  Made made_;
  std::set<std::array<int64_t, 3>> products_;  // forward; sizes in order
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_AVOIDABLE_ONE_HOT_H_
