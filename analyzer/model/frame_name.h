// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_FRAME_NAME_H_
#define DLTAP_ANALYZER_MODEL_FRAME_NAME_H_

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A frame of Python as Kineto names it, "train.py(12): forward" or
// "nn.Module: Linear_3"; nullopt: any other name, as of a function of C's. The
// line is that where the function begins, the place a file without the folder
// in which Python found it.
std::optional<SiteFrame> FrameOfName(std::string_view name);

// The path of such a file as if installed, if it is one of Python's own library
// or of a package that is known; else as it is, the program's.
std::string InstalledPlace(std::string_view file);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_FRAME_NAME_H_
