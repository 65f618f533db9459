// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/difference.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analyzer/compare/difference_rows.h"
#include "analyzer/compare/layer_pairs.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostLeading = 3;
constexpr double kWorthAWord = 0.1;  // of the change of the step
constexpr double kLeastNs = 5'000;   // less prints as 0.00 ms

bool IsPart(const SeriesKey& key) {
  return key.kind == SeriesKind::kLead || key.kind == SeriesKind::kIdle ||
         key.kind == SeriesKind::kNotObserved;
}

std::set<SeriesKey> PartsOf(const Side& side) {
  std::set<SeriesKey> keys;
  for (const DeviceSummary& device : side.summary->devices) {
    for (const auto& [key, values] : device.series.all()) {
      if (IsPart(key)) keys.insert(key);
    }
  }
  return keys;
}

void AddPrecisions(const Side& base, const Side& now, PartChange& part) {
  if (part.key.kind != SeriesKind::kLead) return;
  const auto layer_class = static_cast<LayerClass>(part.key.index);
  std::string before = PrecisionOf(base, layer_class);
  std::string after = PrecisionOf(now, layer_class);
  if (before.empty() || after.empty() || before == after) return;
  part.base_precision = std::move(before);
  part.now_precision = std::move(after);
}

void AddParts(const Side& base, const Side& now, Difference& out) {
  std::set<SeriesKey> keys = PartsOf(base);
  keys.merge(PartsOf(now));
  double explained_ns = 0;
  for (const SeriesKey& key : keys) {
    const auto same = [&](const SeriesKey& each) { return each == key; };
    PartChange part{key,
                    ChangeOf(PerStep(base, 1, same), PerStep(now, 1, same))};
    AddPrecisions(base, now, part);
    explained_ns += part.ns.change.value_or(0);
    out.parts.push_back(std::move(part));
  }
  std::stable_sort(out.parts.begin(), out.parts.end(),
                   [](const PartChange& a, const PartChange& b) {
                     return std::abs(a.ns.change.value_or(0)) >
                            std::abs(b.ns.change.value_or(0));
                   });
  out.unexplained_ns = out.step.change.value_or(0) - explained_ns;
  out.rest_ns = explained_ns;
  const double least =
      std::max(kLeastNs, kWorthAWord * std::abs(out.step.change.value_or(0)));
  while (out.leading < std::min(kMostLeading, out.parts.size())) {
    const Change& part = out.parts[out.leading].ns;
    const double change_ns = part.change.value_or(0);
    if (!part.is_significant() || std::abs(change_ns) < least) break;
    out.rest_ns -= change_ns;
    ++out.leading;
  }
}

void AddQuantities(const Side& base, const Side& now, Difference& out) {
  const Quantities of_base = QuantitiesOf(base);
  Quantities of_now = QuantitiesOf(now);
  // What only one of them calls, the other one calls never.
  const auto value_in = [](const Quantities& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? Measured{0} : at->second.value;
  };
  Quantities names = of_base;
  names.merge(Quantities(of_now));
  for (const auto& [name, quantity] : names) {
    out.quantities.push_back(
        {name, quantity.row,
         ChangeOf(value_in(of_base, name), value_in(of_now, name))});
  }
}

}  // namespace

bool Difference::Has(Unlikeness what) const {
  return std::any_of(unlike.begin(), unlike.end(),
                     [what](const Unlike& each) { return each.what == what; });
}

std::vector<Unlike> Difference::BarredBy(Bars bars) const {
  std::vector<Unlike> out;
  std::copy_if(
      unlike.begin(), unlike.end(), std::back_inserter(out),
      [bars](const Unlike& each) { return BarsOf(each.what) >= bars; });
  return out;
}

const QuantityChange* Difference::Find(std::string_view name) const {
  const auto at = std::find_if(
      quantities.begin(), quantities.end(),
      [&](const QuantityChange& each) { return each.name == name; });
  return at == quantities.end() ? nullptr : &*at;
}

Difference Compare(const Side& base, const Side& now, size_t least_steps) {
  const std::vector<LayerPair> layers = PairLayers(base, now);
  Difference out;
  out.by_steps = base.has_steps() && now.has_steps();
  out.named_alike = NameAlike(base, now);
  out.unlike = FindUnlike(base, now, layers, least_steps);
  out.step = ChangeOf(StepLength(base, 1), StepLength(now, 1));
  AddParts(base, now, out);
  AddQuantities(base, now, out);
  for (size_t i = 0; i < out.rows.size(); ++i) {
    out.rows[i] = RowsBy(static_cast<DifferenceBy>(i), base, now, layers);
  }
  for (const RowChange& row : out.by(DifferenceBy::kKernel)) {
    if (row.presence == Presence::kNew) out.new_kernels.push_back(row);
    if (row.presence == Presence::kGone) out.gone_kernels.push_back(row);
  }
  return out;
}

}  // namespace dltap::analyzer
