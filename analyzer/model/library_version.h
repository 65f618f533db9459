// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_LIBRARY_VERSION_H_
#define DLTAP_ANALYZER_MODEL_LIBRARY_VERSION_H_

#include <string>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The version as people write it: the text where there is one, else the number
// taken apart: 13000 of "cudart" is 13.0, 91900 of "cudnn" 9.19.0. A number
// that no library counts like that stays as it is.
std::string VersionText(const LibraryVersion& version);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_LIBRARY_VERSION_H_
