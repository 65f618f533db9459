// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_COMPOSITE_UNITS_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_COMPOSITE_UNITS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/attributed.h"
#include "analyzer/attribution/composite/softmax_size.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What the names of kernels tell beside their class.
enum NameTrait : uint32_t {
  kSigmoid = 1,
  kTanh = 2,
  kRelu = 4,
  kAdd = 8,
  kScale = 16,          // times one number
  kCell = 32,           // a fused recurrent cell
  kOtherAct = 64,       // an activation that no recurrent cell uses
  kSort = 128,          // sorts, scans and numbers
  kScatter = 256,       // adds to rows by sorted indices
  kTimes = 512,         // the product of two tensors, value by value
  kTakesDelta = 1024,   // attention backward that wants the sums of O dO
  kPlain = 2048,        // fills, draws or copies, whatever it is for
  kMask = 4096,         // makes a mask
  kRows = 8192,         // a fusion of XLA over rows: a softmax, or a norm
  kSelects = 16384,     // one of two values, by truths
  kRoot = 1 << 15,      // 1 / the square root
  kPower = 1 << 16,     // by one number
  kMean = 1 << 17,      // over some dimensions
  kVariance = 1 << 18,  // or the standard deviation, over some dimensions
  kSquareRoot = 1 << 19,
  kAddNumber = 1 << 20,  // one number to each value
  kDivide = 1 << 21,     // two tensors, value by value
  kStrided = 1 << 22,    // an operand is broadcast, or no row of values
};

// The dimensions of a product; m, n, k are 0 where they are not known.
struct Product {
  int64_t batch = 1;  // 0: batched, how often is not known
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t width = 0;       // of the result, as a layer has it
  uint64_t signature = 0;  // equal: the same product of other operands
  uint64_t first = 0;      // address of the first operand; 0: not known
};

// One library call, one product of an imported trace, or one activity: a
// product that is split along k is one unit of two kernels.
struct Unit {
  std::span<const size_t> activities;  // in what UnitMaker was given
  LayerClass layer_class = LayerClass::kUnattributed;
  Direction direction = Direction::kNone;
  uint32_t traits = 0;  // NameTrait
  std::optional<Product> product;
  std::optional<SoftmaxSize> softmax;  // of class softmax
};

bool IsBatched(const Unit& unit);

// Elementwise work and the like, which may belong to what is around it.
bool IsPointwise(const Unit& unit);

// Makes the units of one stream's activities, given in order; they refer to
// what was given.
class UnitMaker {
 public:
  UnitMaker(const TraceModel& model, const Process& process,
            const ProcessAttribution& attribution)
      : model_(model),
        process_(process),
        attribution_(attribution),
        products_(attribution.work_kinds.size()),
        traits_(model.texts.size()) {}

  std::vector<Unit> Run(std::span<const size_t> activities);

 private:
  bool Continues(size_t activity, size_t previous) const;
  Unit MakeUnit(std::span<const size_t> activity);
  std::optional<Product> ProductOf(size_t activity);
  const Product& ProductOfKind(uint32_t kind);
  uint32_t TraitsOf(TextId name);
  SoftmaxSize SoftmaxOf(size_t activity);

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  // By kind of work; without a width and the first operand.
  std::vector<std::optional<Product>> products_;
  std::vector<std::optional<uint32_t>> traits_;            // by name
  absl::flat_hash_map<LaunchKey, SoftmaxSize> softmaxes_;  // by their launches
};

// Gives the activities of `unit` to `layer_class`.
void MoveUnit(const Process& process, const Unit& unit, LayerClass layer_class,
              ProcessAttribution& attribution);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_COMPOSITE_UNITS_H_
