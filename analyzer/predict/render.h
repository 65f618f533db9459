// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_PREDICT_RENDER_H_
#define DLTAP_ANALYZER_PREDICT_RENDER_H_

#include <string>

#include "analyzer/predict/prediction.h"

namespace dltap::analyzer {

// {"schema":"dltap.predict","version":1,"gpu":...,"rows":[...],"ops":[...]};
// what was not measured is null.
std::string RenderPredictionJson(const Prediction& prediction);

// One line per row, then the errors per operation if anything was measured.
std::string RenderPredictionText(const Prediction& prediction);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_PREDICT_RENDER_H_
