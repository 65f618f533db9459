// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_DIFFERENCE_ROWS_H_
#define DLTAP_ANALYZER_COMPARE_DIFFERENCE_ROWS_H_

#include <string>
#include <vector>

#include "analyzer/compare/layer_pairs.h"
#include "analyzer/compare/row_change.h"
#include "analyzer/compare/step_samples.h"

namespace dltap::analyzer {

// The rows of one table, the largest change first. `layers` are PairLayers'.
std::vector<RowChange> RowsBy(DifferenceBy by, const Side& base,
                              const Side& now,
                              const std::vector<LayerPair>& layers);

// The precision in which a class spends most of its time, by its operations;
// empty: unknown.
std::string PrecisionOf(const Side& side, LayerClass layer_class);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_DIFFERENCE_ROWS_H_
