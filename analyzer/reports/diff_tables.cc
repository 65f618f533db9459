// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/diff_tables.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyzer/reports/change_text.h"
#include "analyzer/reports/class_table.h"
#include "analyzer/reports/command_line.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/diff_sentence.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

Column Left(const std::string& name) { return {{name}, name, false}; }
Column Right(const std::string& name) { return {{name}, name, true}; }

Cell CellOf(Unit unit, std::optional<double> value) {
  if (!value) return Unknown{};
  return ValueText(unit, *value);
}

Cell SignedCell(Unit unit, std::optional<double> value) {
  if (!value) return Unknown{};
  return SignedText(unit, *value);
}

Cell RelativeCell(const Change& change) {
  if (!change.relative) return Blank{};
  return SignedCell(Unit::kShare, change.relative);
}

Cell MarginCell(Unit unit, const Change& change) {
  const std::optional<double> margin = change.margin();
  return margin ? Cell(ValueText(unit, *margin)) : Cell(Blank{});
}

// Base, new, change, percent, margin.
void AddChange(Unit unit, const Change& change, std::vector<Cell>& row) {
  row.push_back(CellOf(unit, change.base));
  row.push_back(CellOf(unit, change.now));
  row.push_back(SignedCell(unit, change.change));
  row.push_back(RelativeCell(change));
  row.push_back(MarginCell(unit, change));
}

void AddMs(const Change& ns, std::vector<Cell>& row) {
  const auto cell = [](std::optional<double> value) -> Cell {
    if (!value) return Unknown{};
    return Milliseconds(*value);
  };
  row.push_back(cell(ns.base));
  row.push_back(cell(ns.now));
  row.push_back(ns.change ? Cell(SignedMs(*ns.change)) : Cell(Unknown{}));
  row.push_back(RelativeCell(ns));
  const std::optional<double> margin = ns.margin();
  row.push_back(margin ? Cell(Milliseconds(*margin)) : Cell(Blank{}));
}

std::vector<Column> ChangeColumns(const std::string& first) {
  return {Left(first),     Right("base"), Right("new"),
          Right("change"), Right("%"),    Right("±")};
}

bool IsShown(const QuantityChange& each) {
  const bool whole = each.name.find('.') == std::string::npos;
  const bool known = each.change.base || each.change.now;
  return known && (whole || (each.row->is_level && each.change.differs()));
}

}  // namespace

Table ChangeTable(const std::string& first,
                  const std::vector<QuantityChange>& changes) {
  Table table{.columns = ChangeColumns(first), .rows = {}};
  for (const QuantityChange& each : changes) {
    std::vector<Cell> row{each.name};
    AddChange(each.row->unit, each.change, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string SideText(const Side& side) {
  std::vector<std::string> parts;
  const std::string command = CommandsText(*side.summary);
  if (!command.empty()) parts.push_back(command);
  for (const auto& [name, count] : side.figures->program.gpus) {
    parts.push_back((count.devices > 1 ? std::to_string(count.devices) + " x "
                                       : std::string()) +
                    (name.empty() ? "unknown GPU" : Printable(name)) +
                    (side.summary->simulated ? " (simulated)" : ""));
  }
  parts.push_back(side.has_steps() ? Count(side.figures->steps.used, "step")
                                   : "no steps");
  return Join(parts, " · ");
}

Table JudgementTable(const DiffReport& report) {
  Table table{.columns = ChangeColumns("rule"), .rows = {}};
  table.columns.push_back(Left("verdict"));
  for (const Judgement& judgement : report.judgements) {
    std::vector<Cell> row{judgement.rule.text};
    AddChange(judgement.rule.row->unit, judgement.change, row);
    row.emplace_back(std::string(Name(judgement.verdict)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table QuantityChangeTable(const Difference& difference) {
  std::vector<QuantityChange> shown;
  // As the table of quantities has them.
  for (const QuantityRow& known : QuantityTable()) {
    for (const QuantityChange& each : difference.quantities) {
      if (each.row == &known && IsShown(each)) shown.push_back(each);
    }
  }
  return ChangeTable("quantity", shown);
}

Table PartTable(const Difference& difference, size_t top) {
  Table table{
      .columns = ChangeColumns(difference.by_steps ? "part of the step, ms"
                                                   : "part of the run, ms"),
      .rows = {}};
  size_t shown = 0;
  for (const PartChange& part : difference.parts) {
    if (!part.ns.differs() || shown++ >= top) continue;
    std::string name = PartText(part.key);
    if (!part.now_precision.empty()) {
      name += " (" + part.base_precision + " -> " + part.now_precision + ")";
    }
    std::vector<Cell> row{name};
    AddMs(part.ns, row);
    table.rows.push_back(std::move(row));
  }
  std::vector<Cell> total{std::string("total")};
  AddMs(difference.step, total);
  table.rows.push_back(std::move(total));
  return table;
}

Table RowChangeTable(const Difference& difference, DifferenceBy by,
                     size_t top) {
  Table table{.columns = ChangeColumns(std::string(Name(by)) + ", ms"),
              .rows = {}};
  const bool counts = by != DifferenceBy::kPhase && by != DifferenceBy::kIdle;
  if (counts) {
    const std::string what = by == DifferenceBy::kLayer ? "layers" : "count";
    table.columns.push_back(Right(what));
    table.columns.push_back(Right("new " + what));
  }
  table.columns.push_back(Left(""));
  for (const RowChange& each : difference.by(by)) {
    if (table.rows.size() >= top) break;
    if (!each.ns.differs() && !each.count.differs()) continue;
    std::vector<Cell> row{by == DifferenceBy::kClass
                              ? DisplayName(*each.layer_class)
                              : each.name};
    AddMs(each.ns, row);
    if (counts) {
      row.push_back(CellOf(Unit::kCount, each.count.base));
      row.push_back(CellOf(Unit::kCount, each.count.now));
    }
    const bool both = each.presence == Presence::kBoth;
    row.emplace_back(both ? std::string() : std::string(Name(each.presence)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace dltap::analyzer
