// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/difference_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace dltap::analyzer {
namespace {

// A row of one run.
struct Row {
  std::string name;
  std::optional<LayerClass> layer_class;
  Measured ns;
  double count = 0;
};
using Rows = std::map<std::string, Row>;  // by what rows are matched with

double PerStep(const Side& side, double value) {
  return value / side.figures->totals.per_step();
}

void AddTo(Rows& rows, const std::string& key, const Row& row) {
  const auto [at, is_new] = rows.try_emplace(key, row);
  if (is_new) return;
  *at->second.ns.value += *row.ns.value;
  at->second.count += row.count;
}

Rows ClassesOf(const Side& side) {
  Rows rows;
  for (const ClassRow& row : side.figures->classes) {
    const auto index = static_cast<size_t>(row.layer_class);
    rows[std::string(Name(row.layer_class))] = {
        std::string(Name(row.layer_class)), row.layer_class,
        PerStep(side, 1,
                [index](const SeriesKey& key) {
                  return key.kind == SeriesKind::kKernels && key.index == index;
                }),
        row.figures.step_mean.kernels};
  }
  return rows;
}

// Compilers and tools put spaces into names as they like.
std::string WithoutSpaces(std::string name) {
  std::erase(name, ' ');
  return name;
}

// GPU time and count of a row, a step.
template <typename Named>
Row RowOf(const Side& side, const Named& row) {
  return {row.name,
          row.layer_class,
          {PerStep(side, static_cast<double>(row.sums.gpu_ns))},
          PerStep(side, static_cast<double>(row.sums.count))};
}

Rows KernelsOf(const Side& side) {
  Rows rows;
  for (const KernelRow& row : side.figures->kernels) {
    AddTo(rows, WithoutSpaces(row.name), RowOf(side, row));
  }
  return rows;
}

Rows OpsOf(const Side& side) {
  Rows rows;
  for (const OpRow& row : side.figures->ops) {
    AddTo(rows, row.name, RowOf(side, row));
  }
  return rows;
}

Rows ApisOf(const Side& side) {
  Rows rows;
  for (const ApiRow& row : side.figures->apis) {
    AddTo(rows, row.name,
          {row.name,
           std::nullopt,
           {PerStep(side, static_cast<double>(row.sums.cpu_ns))},
           PerStep(side, static_cast<double>(row.sums.calls))});
  }
  return rows;
}

template <typename Enum>
Rows SeriesOf(const Side& side, SeriesKind kind, size_t n) {
  Rows rows;
  for (size_t i = 0; i < n; ++i) {
    const std::string name(Name(static_cast<Enum>(i)));
    rows[name] = {name, std::nullopt,
                  PerStep(side, 1, [=](const SeriesKey& key) {
                    return key.kind == kind && key.index == i;
                  })};
  }
  return rows;
}

RowChange ChangeOf(const Row* base, const Row* now) {
  const Row& any = base != nullptr ? *base : *now;
  const Measured none{0, std::vector<double>(any.ns.samples.size())};
  const auto ns = [&](const Row* row) { return row ? row->ns : none; };
  const auto count = [](const Row* row) {
    return Measured{row ? row->count : 0};
  };
  return {any.name, any.layer_class,
          base == nullptr  ? Presence::kNew
          : now == nullptr ? Presence::kGone
                           : Presence::kBoth,
          ChangeOf(ns(base), ns(now)), ChangeOf(count(base), count(now))};
}

std::vector<RowChange> Matched(const Rows& base, const Rows& now) {
  std::vector<RowChange> out;
  for (const auto& [key, row] : base) {
    const auto at = now.find(key);
    out.push_back(ChangeOf(&row, at == now.end() ? nullptr : &at->second));
  }
  for (const auto& [key, row] : now) {
    if (!base.contains(key)) out.push_back(ChangeOf(nullptr, &row));
  }
  return out;
}

Row RowOf(const LayerGroup& group) {
  const bool is_layer = group.row == LayerRow::kLayer;
  return {group.name,
          is_layer ? std::optional(group.layer_class) : std::nullopt,
          {group.gpu_ns},
          is_layer ? static_cast<double>(group.layers) : 0};
}

std::vector<RowChange> Layers(const std::vector<LayerPair>& pairs) {
  std::vector<RowChange> out;
  for (const LayerPair& pair : pairs) {
    const Row base = RowOf(pair.base);
    const Row now = RowOf(pair.now);
    out.push_back(ChangeOf(pair.base.layers > 0 ? &base : nullptr,
                           pair.now.layers > 0 ? &now : nullptr));
  }
  return out;
}

std::vector<RowChange> Unsorted(DifferenceBy by, const Side& base,
                                const Side& now,
                                const std::vector<LayerPair>& layers) {
  const auto match = [&](auto rows_of) {
    return Matched(rows_of(base), rows_of(now));
  };
  switch (by) {
    case DifferenceBy::kClass: return match(ClassesOf);
    case DifferenceBy::kLayer: return Layers(layers);
    case DifferenceBy::kKernel: return match(KernelsOf);
    case DifferenceBy::kOp: return match(OpsOf);
    case DifferenceBy::kApi: return match(ApisOf);
    case DifferenceBy::kPhase:
      return match([](const Side& side) {
        return SeriesOf<Phase>(side, SeriesKind::kPhase, kPhaseCount);
      });
    case DifferenceBy::kIdle:
      return match([](const Side& side) {
        return SeriesOf<IdleCause>(side, SeriesKind::kIdle, kIdleCauses);
      });
    case DifferenceBy::kCount: break;
  }
  return {};
}

}  // namespace

std::string_view Name(Presence presence) {
  constexpr std::string_view kNames[] = {"both", "new", "gone"};
  return kNames[static_cast<size_t>(presence)];
}

std::string_view Name(DifferenceBy by) {
  constexpr std::string_view kNames[] = {"class", "layer", "kernel", "op",
                                         "phase", "idle",  "api"};
  return kNames[static_cast<size_t>(by)];
}

std::vector<RowChange> RowsBy(DifferenceBy by, const Side& base,
                              const Side& now,
                              const std::vector<LayerPair>& layers) {
  std::vector<RowChange> rows = Unsorted(by, base, now, layers);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::abs(a.ns.change.value_or(0)) >
           std::abs(b.ns.change.value_or(0));
  });
  return rows;
}

std::string PrecisionOf(const Side& side, LayerClass layer_class) {
  std::map<std::string_view, int64_t> ns;
  for (const OpRow& row : side.figures->ops) {
    if (row.layer_class == layer_class) {
      ns[PrecisionOf(row.name)] += row.sums.gpu_ns;
    }
  }
  const auto most = std::max_element(
      ns.begin(), ns.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == ns.end() ? "" : std::string(most->first);
}

}  // namespace dltap::analyzer
