// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_OP_NAMES_H_
#define DLTAP_ANALYZER_READER_TEXT_OP_NAMES_H_

#include <optional>
#include <string_view>

#include "opmodel/operation.h"

// Names of opmodel's enumerators in the text grammar: "conv_forward", "bf16",
// "lstm", "channels_in".
namespace dltap::analyzer {

std::string_view Name(opmodel::OpKind kind);
std::string_view Name(opmodel::DType type);
std::string_view Name(opmodel::RnnCell cell);
std::string_view Name(opmodel::Dim dim);

std::optional<opmodel::OpKind> OpKindFromName(std::string_view name);
std::optional<opmodel::DType> DTypeFromName(std::string_view name);
std::optional<opmodel::RnnCell> RnnCellFromName(std::string_view name);
std::optional<opmodel::Dim> DimFromName(std::string_view name);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_OP_NAMES_H_
