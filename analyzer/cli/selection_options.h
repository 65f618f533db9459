// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_SELECTION_OPTIONS_H_
#define DLTAP_ANALYZER_CLI_SELECTION_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "analyzer/metrics/base/selection.h"
#include "analyzer/metrics/summary/summary.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Options that choose a part of a trace, as they were typed.
struct SelectionOptions {
  std::string window;  // all, or 1.5s..2.25s
  std::string steps;   // 10..19, or one
  std::string device;
  std::string process;
  std::optional<uint64_t> warm_up;
  std::optional<int> rank;
};

// --rank and --process: what commands that look at whole processes take.
void AddProcessOptions(CLI::App& app, SelectionOptions& options);
// These, --window and --device: what of a trace is written.
void AddPartOptions(CLI::App& app, SelectionOptions& options);
// All of them.
void AddSelectionOptions(CLI::App& app, SelectionOptions& options);

// "10..19", or one number; nullopt: none of them.
std::optional<std::pair<size_t, size_t>> StepRange(std::string_view text);

// What `options` ask of `model`. Errors are those of usage: a text that can't
// be read, or a rank, process or device that the trace lacks, with those that
// it has.
absl::StatusOr<Selection> ParseSelection(const SelectionOptions& options,
                                         const TraceModel& model);

// Whether the window that is asked for begins before the trace ends. Of a model
// that is read whole.
absl::Status CheckWindow(const Selection& selection, const TraceModel& model);

// The same, and whether any process has one of the steps that are asked for,
// which is known once they were found.
absl::Status CheckParts(const Selection& selection, const Summary& summary);

// Drops the processes that are not selected.
void KeepSelected(const Selection& selection, TraceModel& model);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_SELECTION_OPTIONS_H_
