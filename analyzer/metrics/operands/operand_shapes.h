// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_SHAPES_H_
#define DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_SHAPES_H_

#include <cstdint>

#include "opmodel/operation.h"

// What the dimensions of a library call tell of the matrices and arrays that
// it takes and gives.
namespace dltap::analyzer {

// Of the 16 bytes that tensor cores are fed with at once, what one load brings
// where rows are as long as the dimensions: it must not cross a row's end.
// Which dimensions are rows is not known, so the oddest counts.
double LoadShare(const opmodel::Operation& op, opmodel::DType type);

// The share of tensor cores' tiles that so many channels fill.
double TileShare(int64_t channels);
// That of a convolution, in and out; 1 of what is no convolution.
double TileShare(const opmodel::Operation& op);

// Whether a copy that moves `bytes` may be of all that a convolution takes or
// gives. One of less puts parts together or takes one out, whatever the layout.
bool MayBeOperandOf(const opmodel::Operation& op, double bytes);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_OPERANDS_OPERAND_SHAPES_H_
