// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_RECURRENT_REGROUP_H_
#define DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_RECURRENT_REGROUP_H_

#include <set>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/composite/cell_nodes.h"
#include "analyzer/attribution/composite/composite_units.h"

namespace dltap::analyzer {

// Recurrent cells written by hand: of one stream and one pass, a sequence of at
// most 16 products that comes 8 times or more in a row, with elementwise work
// between them. What separates a cell from equal layers:
//  - Gates: each repetition has sigmoid and tanh, or a fused cell's kernel.
//    Where addresses of operands are known, one must stay the same: the
//    weights. Without, where norms lie between, all gates are of one product.
//  - Without gates (an Elman cell), nothing but elementwise work and norms lies
//    between, and each product keeps its weights from one repetition to the
//    next; the products are one (without norms; of a ReLU, with an addition) or
//    two (right behind one another at least once), give the same shape, and one
//    of them maps the state on itself. Without addresses: two products, an
//    addition, tanh. Where other products are in the loop, too (a head), two
//    products in a row without anything between, then an addition and tanh.
//  - Backward: gates as above, or weights of a cell found in the forward pass;
//    without addresses, its number of steps.
// Products that go into gates, others of their shape before these (backward: of
// their width, with the cell's weights or between its gates and the next
// weights), and what follows them, become rnn. A fused cell takes two products
// at most. Where the trace numbers autograd's nodes, these alone tell what is
// backward of a cell.
class RecurrentRegroup {
 public:
  RecurrentRegroup(const Process& process, CellNodes& nodes,
                   ProcessAttribution& attribution)
      : process_(process), nodes_(nodes), attribution_(attribution) {}

  // `units` of one stream, as they were before any regrouping.
  void Run(const std::vector<Unit>& units);

 private:
  struct Repeats {
    size_t first;  // into products_
    size_t last;   // one past
    size_t period;
  };
  struct Evidence {
    size_t gated = 0;  // repetitions
    size_t fused = 0;  // of these, with all gates in one kernel
    uint32_t traits = 0;
    bool foreign = false;     // softmax, attention, pool, embedding between
    bool normalised = false;  // a norm between
    bool whole = false;       // a cell that an operator marks, between
    bool addresses = false;   // of operands are known
    std::vector<size_t> constant;  // slots whose first operand stays
  };

  bool EndsSequence(const Unit& unit) const;
  bool IsOfWholeCell(const Unit& unit) const;
  uint32_t TraitsOf(const Unit& unit) const;
  void MoveByNode(const Unit& unit);
  void MoveFusedCell(size_t unit);
  void MoveLoneGradients();
  bool FollowsFusedCell(size_t product) const;
  LayerClass ClassNow(const Unit& unit) const;
  void Search();
  size_t EndOfPeriod(size_t first, size_t period) const;
  size_t EndOfUnits(size_t product, const Repeats& repeats) const;
  Evidence Weigh(const Repeats& repeats) const;
  bool IsCell(const Repeats& repeats, const Evidence& evidence) const;
  bool HasAllGatesInOne(const Repeats& repeats) const;
  bool HasNodeOfCell(const Repeats& repeats) const;
  bool AddsBefore(uint32_t gates, size_t product, const Repeats& repeats) const;
  bool IsElmanCell(const Repeats& repeats, const Evidence& evidence) const;
  bool AddsInput(const Repeats& repeats, const Evidence& evidence) const;
  bool HoldsElmanCell(const Repeats& repeats, const Evidence& evidence) const;
  void Move(const Repeats& repeats, const Evidence& evidence);
  void MoveForward(const Repeats& repeats, const Evidence& evidence);
  void MoveBackward(const Repeats& repeats, const Evidence& evidence);
  void MoveProduct(size_t product, const Repeats& repeats);
  bool FeedsGate(size_t product, const Repeats& repeats) const;
  bool LeadsToGate(size_t slot, const Repeats& repeats) const;
  bool FollowsGate(size_t product, size_t period) const;
  bool AnyGate(size_t first, size_t end) const;
  bool IsOfNextLayer(const Unit& unit) const;
  bool AddsFromElsewhere(size_t unit) const;
  void MovePreceding(size_t product);
  void MoveFollowing(size_t unit, size_t end);
  bool IsPart(const Unit& unit) const;

  Product ProductAt(size_t i) const {
    return (*units_)[products_[i]].product.value_or(Product());
  }

  const Process& process_;
  CellNodes& nodes_;
  ProcessAttribution& attribution_;
  const std::vector<Unit>* units_ = nullptr;
  std::vector<size_t> products_;  // of the sequence looked at: units
  size_t begin_ = 0;              // its first unit
  size_t end_ = 0;                // its last unit + 1
  uint32_t gates_ = 0;            // what is a gate in it: NameTrait
  // First operands: weights, where they stay.
  absl::flat_hash_set<uint64_t> forward_;  // of all products forward
  absl::flat_hash_set<uint64_t> weights_;  // of cells found
  std::set<int64_t> widths_;               // of their gates
  std::set<size_t> steps_;                 // how often they ran in a row
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ATTRIBUTION_COMPOSITE_RECURRENT_REGROUP_H_
