// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LAYER_TRAITS_H_
#define DLTAP_ANALYZER_METRICS_LAYER_TRAITS_H_

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/layer_units.h"

namespace dltap::analyzer {

// Elementwise and the like: a whole row of it is one unit.
bool IsPointwise(LayerClass layer_class);
// Fills, copies and casts right before it are its own.
bool OwnsGlue(LayerClass layer_class);
// What an activity counts for; kLayer: a layer owns it, if one is found.
LayerRow LayerRowOf(const Attributed& attributed);
UnitSide SideOf(Direction direction);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LAYER_TRAITS_H_
