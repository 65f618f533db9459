// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_WEB_JSON_PICTURES_H_
#define DLTAP_ANALYZER_WEB_JSON_PICTURES_H_

#include <string>

#include "analyzer/metrics/figures/figures.h"
#include "analyzer/metrics/pictures/pictures.h"

namespace dltap::analyzer {

// What the page shows and the report's JSON lacks, for src/data.ts to read: no
// contract, the two change together. Spans are columns of integers. `pictures`
// null: the trace was too long for them.
std::string JsonPictures(const Figures& figures, const Pictures* pictures);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_WEB_JSON_PICTURES_H_
