// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/ncu_csv.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/importers/byte_order_mark.h"
#include "analyzer/importers/csv_table.h"
#include "analyzer/importers/localized_number.h"

namespace dltap::analyzer {
namespace {

// Prefix and suffix around the reason in the metrics that split a warp's time
// over stall reasons; of several families in a file, the first counts.
// https://docs.nvidia.com/nsight-compute/ProfilingGuide "Warp Stall Reasons".
struct StallFamily {
  std::string_view before;
  std::string_view after;
};
constexpr StallFamily kStallFamilies[] = {
    {"smsp__average_warps_issue_stalled_", "_per_issue_active"},
    {"smsp__average_warp_latency_issue_stalled_", ""},
    {"smsp__warp_issue_stalled_", "_per_warp_active"},
    {"smsp__pcsamp_warps_issue_stalled_", ""},
    {"Stall ", ""},  // as the details page names them
};
constexpr size_t kFamilies = std::size(kStallFamilies);

// "Long Scoreboard" and "long_scoreboard" are one reason.
std::string ReasonKey(std::string_view reason) {
  std::string key(reason);
  for (char& c : key) {
    c = c == ' ' ? '_' : static_cast<char>(std::tolower(c));
  }
  return key;
}

// Without what the value was reduced by: ".ratio", ".sum.pct".
std::string_view BaseName(std::string_view metric) {
  if (metric.find("__") == std::string_view::npos) return metric;
  return metric.substr(0, metric.find('.'));
}

bool IsCycles(std::string_view base) {
  constexpr std::string_view kNames[] = {
      "gpc__cycles_elapsed", "sm__cycles_elapsed", "smsp__cycles_elapsed",
      "Elapsed Cycles"};
  return std::find(std::begin(kNames), std::end(kNames), base) !=
         std::end(kNames);
}

bool IsDuration(std::string_view base) {
  return base == "gpu__time_duration" || base == "Duration";
}

// What one of the unit stands for, in ns or in cycles; 0: not known.
double ScaleOf(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double scale;
  };
  constexpr Unit kUnits[] = {{"nsecond", 1},       {"ns", 1},
                             {"usecond", 1e3},     {"us", 1e3},
                             {"msecond", 1e6},     {"ms", 1e6},
                             {"second", 1e9},      {"s", 1e9},
                             {"cycle", 1},         {"Kcycle", 1e3},
                             {"Mcycle", 1e6},      {"Gcycle", 1e9},
                             {"nanosecond", 1},    {"microsecond", 1e3},
                             {"\xC2\xB5s", 1e3},  // micro sign
                             {"\xCE\xBCs", 1e3},  // Greek mu
                             {"\xB5s", 1e3},      // Latin-1
                             {"millisecond", 1e6}, {"", 1}};
  for (const Unit& known : kUnits) {
    if (known.name == unit) return known.scale;
  }
  return 0;
}

// One launch while its metrics come in.
class LaunchBuilder {
 public:
  explicit LaunchBuilder(std::string kernel) {
    out_.kernel = std::move(kernel);
  }

  // False: the unit is not known.
  bool Add(std::string_view metric, std::string_view unit, double value) {
    const std::string_view base = BaseName(metric);
    const bool is_cycles = IsCycles(base);
    if (!is_cycles && !IsDuration(base)) {
      AddStall(base, value);
      return true;
    }
    const double scale = ScaleOf(unit);
    SetOnce(is_cycles ? out_.cycles : out_.duration_ns, value * scale);
    return scale > 0;
  }

  KernelCounters Take() {
    for (auto& stalls : stalls_) {
      if (stalls.empty()) continue;
      out_.stalls = std::move(stalls);
      break;
    }
    return std::move(out_);
  }

 private:
  // Several reductions of one counter (avg, max, sum): the first stands.
  static void SetOnce(std::optional<double>& field, double value) {
    if (!field && value > 0) field = value;
  }

  void AddStall(std::string_view base, double value) {
    for (size_t i = 0; i < kFamilies; ++i) {
      const StallFamily& family = kStallFamilies[i];
      if (!base.starts_with(family.before)) continue;
      std::string_view reason = base.substr(family.before.size());
      if (!reason.ends_with(family.after)) continue;
      reason.remove_suffix(family.after.size());
      // The same samples again, of schedulers that issued nothing.
      if (reason.ends_with("_not_issued")) return;
      if (value >= 0) stalls_[i].emplace(ReasonKey(reason), value);
      return;
    }
  }

  KernelCounters out_;
  std::array<std::map<std::string, double>, kFamilies> stalls_;
};

// Spreadsheets write semicolons where the comma is the decimal sign.
char SeparatorOf(std::string_view header) {
  const size_t id = header.starts_with('"') ? 4 : 2;  // behind the first field
  return id < header.size() && header[id] == ';' ? ';' : ',';
}

// A table that another program wrote again has quotes only where it must.
bool IsRow(std::string_view line, std::string_view header) {
  if (line.empty()) return false;
  if (header[0] == '"') return line[0] == '"';
  return line[0] == '"' || line[0] == SeparatorOf(header) ||
         (line[0] >= '0' && line[0] <= '9');
}

// Header and rows alone, on the lines where they stood: what the profiler and
// the program print around them, and the header's repetition for each process,
// become blank lines.
std::string OnlyTable(std::string_view text, std::string_view header) {
  std::string table;
  bool started = false;
  bool quoted = false;  // inside a field that goes on on the next line
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_header = !quoted && line == header;
    if (quoted || (started && !is_header && IsRow(line, header)) ||
        (is_header && !started)) {
      table.append(line);
      quoted ^= std::count(line.begin(), line.end(), '"') % 2 != 0;
    }
    started |= is_header;
    table.push_back('\n');
  }
  return table;
}

// The line that begins the table; empty: there is none.
std::string_view HeaderLine(std::string_view text) {
  text = WithoutByteOrderMark(text);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const bool is_first =
        line.starts_with("\"ID\",") || line.starts_with("ID,") ||
        line.starts_with("\"ID\";") || line.starts_with("ID;");
    if (is_first && line.find("Kernel Name") != std::string_view::npos) {
      return line;
    }
    at = end + 1;
  }
  return {};
}

absl::StatusOr<CsvTable> TableIn(std::string_view text, std::string_view header,
                                 const std::string& path) {
  return CsvTable::Parse(OnlyTable(WithoutByteOrderMark(text), header), path,
                         SeparatorOf(header));
}

absl::Status NoHeader(const std::string& path) {
  return absl::DataLossError(absl::StrCat(
      path,
      ": no header with \"ID\" and \"Kernel Name\"; export with ncu --import "
      "REPORT --csv --page raw"));
}

class NcuReader {
 public:
  NcuReader(const CsvTable& table, const std::string& path)
      : table_(table),
        kernel_(Column("Kernel Name")),
        name_(table.ColumnIndex("Metric Name")),
        value_(table.ColumnIndex("Metric Value")) {
    out_.file = path;
    FindDecimalSign();
  }

  CounterTable Run() {
    name_ < 0 || value_ < 0 ? ReadLaunchPerLine() : ReadMetricPerLine();
    return std::move(out_);
  }

 private:
  size_t Column(std::string_view name) const {
    return static_cast<size_t>(table_.ColumnIndex(name));
  }

  // One number that can be read one way only decides for all.
  void FindDecimalSign() {
    for (const CsvTable::Row& row : table_.rows()) {
      for (size_t i = FirstValue(); i < row.fields.size(); ++i) {
        if (value_ >= 0 && i != static_cast<size_t>(value_)) continue;
        const auto sign = DecimalSignOf(row.fields[i]);
        if (!sign) continue;
        decimal_sign_ = *sign;
        return;
      }
    }
  }

  // Values stand after the columns that describe the launch.
  size_t FirstValue() const {
    const int cc = table_.ColumnIndex("CC");
    return std::max(kernel_, cc < 0 ? size_t{0} : static_cast<size_t>(cc)) + 1;
  }

  void Add(LaunchBuilder& launch, std::string_view metric,
           std::string_view unit, std::string_view text) {
    if (metric.empty() || text.empty()) return;
    const auto value = ParseLocalized(text, decimal_sign_);
    if (value) {
      out_.unreadable_values += launch.Add(metric, unit, *value) ? 0 : 1;
    } else {
      out_.unreadable_values += text == "n/a" || text == "(nan)";
    }
  }

  void ReadLaunchPerLine() {
    const std::vector<std::string> none(table_.header().size());
    const std::vector<std::string>* units = &none;
    for (const CsvTable::Row& row : table_.rows()) {
      if (row.fields[kernel_].empty()) {
        units = &row.fields;
        continue;
      }
      LaunchBuilder launch(row.fields[kernel_]);
      for (size_t i = FirstValue(); i < row.fields.size(); ++i) {
        Add(launch, table_.header()[i], (*units)[i], row.fields[i]);
      }
      out_.launches.push_back(launch.Take());
    }
  }

  void ReadMetricPerLine() {
    const int unit = table_.ColumnIndex("Metric Unit");
    const size_t id = Column("ID");
    const int process = table_.ColumnIndex("Process ID");
    std::optional<LaunchBuilder> launch;
    std::pair<std::string, std::string> of;  // process, launch
    for (const CsvTable::Row& row : table_.rows()) {
      const auto at = [&row](int column) {
        return column < 0 ? "" : row.fields[static_cast<size_t>(column)];
      };
      std::pair key(at(process), row.fields[id]);
      if (!launch || key != of) {
        if (launch) out_.launches.push_back(launch->Take());
        launch.emplace(row.fields[kernel_]);
        of = std::move(key);
      }
      Add(*launch, at(name_), at(unit), at(value_));
    }
    if (launch) out_.launches.push_back(launch->Take());
  }

  const CsvTable& table_;
  const size_t kernel_;
  const int name_;
  const int value_;
  char decimal_sign_ = '.';
  CounterTable out_;
};

}  // namespace

bool LooksLikeNcuCsv(std::string_view head) {
  return !HeaderLine(head).empty();
}

absl::StatusOr<CounterTable> ParseNcuCsv(std::string_view text,
                                         const std::string& path) {
  const std::string_view header = HeaderLine(text);
  if (header.empty()) return NoHeader(path);
  absl::StatusOr<CsvTable> table = TableIn(text, header, path);
  const size_t last_line = text.rfind('\n') + 1;
  const bool is_cut = !table.ok() && last_line < text.size();
  if (is_cut) table = TableIn(text.substr(0, last_line), header, path);
  if (!table.ok()) return absl::DataLossError(table.status().message());
  if (table->ColumnIndex("Kernel Name") < 0) return NoHeader(path);
  CounterTable out = NcuReader(*table, path).Run();
  if (is_cut) {
    out.cut_at = last_line;
    // The last launch may lack metrics.
    if (table->ColumnIndex("Metric Name") >= 0 && !out.launches.empty()) {
      out.launches.pop_back();
    }
  }
  if (out.launches.empty()) {
    return absl::DataLossError(
        absl::StrCat(path,
                     ": a header but no kernel below it; did ncu profile "
                     "any launch?"));
  }
  return out;
}

}  // namespace dltap::analyzer
