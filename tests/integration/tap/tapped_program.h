// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_INTEGRATION_TAP_TAPPED_PROGRAM_H_
#define DLTAP_TESTS_INTEGRATION_TAP_TAPPED_PROGRAM_H_

#include <string>
#include <vector>

#include "analyzer/model/trace_model.h"
#include "tests/support/temp_dir.h"

namespace dltap {

// How a program ended.
struct Outcome {
  int status = 0;  // of waitpid
  std::string output;

  int exit_code() const;      // -1 when a signal ended it
  int signal_number() const;  // 0 when it exited
};

// A test program, by name, run with and without the tap preloaded.
class TappedProgram {
 public:
  explicit TappedProgram(std::string name) : name_(std::move(name)) {}

  TappedProgram& With(std::string variable);    // "NAME=value"
  TappedProgram& Always(std::string variable);  // also in bare runs
  TappedProgram& Into(std::string directory);
  // Preloads other libraries (paths, or ""), also in bare runs.
  TappedProgram& Among(std::string before_tap, std::string behind_tap);

  Outcome RunBare(std::vector<std::string> arguments);
  Outcome Run(std::vector<std::string> arguments);
  // Starts it; kills it with SIGKILL after that time.
  Outcome RunAndKill(std::vector<std::string> arguments, int microseconds);

  // What the runs so far have recorded.
  analyzer::TraceModel Read() const;
  std::vector<std::string> Files() const;
  const std::string& directory() const { return directory_; }

 private:
  Outcome Start(std::vector<std::string> arguments, bool tapped,
                int kill_after_us);

  std::string name_;
  TempDir temp_;
  std::string directory_ = temp_.path() + "/out";
  std::vector<std::string> variables_;
  std::vector<std::string> always_;
  std::string before_tap_, behind_tap_;
};

// Calls of that function with a record of their own, over all processes.
uint64_t Recorded(const analyzer::TraceModel& model, std::string_view symbol);
// Calls that were only counted.
uint64_t Counted(const analyzer::TraceModel& model, std::string_view symbol);
uint64_t Lost(const analyzer::TraceModel& model, std::string_view cause);
// Everything that the tap saw.
uint64_t AllCalls(const analyzer::TraceModel& model);

// The number N in "calls N" of a program's output.
uint64_t CallsIn(const std::string& output);

}  // namespace dltap

#endif  // DLTAP_TESTS_INTEGRATION_TAP_TAPPED_PROGRAM_H_
