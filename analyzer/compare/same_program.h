// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_COMPARE_SAME_PROGRAM_H_
#define DLTAP_ANALYZER_COMPARE_SAME_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/compare/step_samples.h"

// What tells whether two runs are of one program. Compilers fuse layers and
// split them, but leave the products with weights as they are.
namespace dltap::analyzer {

// Of the GPU time of layers whose weights are known, the part in layers whose
// weights the other run has too; the lesser of the two runs'. nullopt: one of
// them knows none.
std::optional<double> SameWeightsShare(const Side& base, const Side& now);

// "train.py", or the program where no script is given; empty: unknown. That of
// the first process with GPU work.
std::string ScriptOf(const Side& side);

enum class Use : uint8_t { kUnknown, kTraining, kInference };
std::string_view Name(Use use);
Use UseOf(const Side& side);  // by its backward pass and update

// "torch"; empty: unknown, or several.
std::string_view FrameworkOf(const Side& side);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_COMPARE_SAME_PROGRAM_H_
