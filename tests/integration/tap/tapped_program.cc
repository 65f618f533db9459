// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/tap/tapped_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "analyzer/reader/trace_reader.h"
#include "gtest/gtest.h"

namespace dltap {
namespace {

constexpr char kPrograms[] = DLTAP_TEST_PROGRAMS;
constexpr char kTap[] = DLTAP_TAP_LIBRARY;

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

std::string PathOf(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  return std::string(kPrograms) + "/tap_" + name;
}

// The environment without anything of ours or of the test runner's.
std::vector<std::string> CleanEnvironment() {
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("DLTAP_") && !text.starts_with("LD_PRELOAD=") &&
        !text.starts_with("NVTX_")) {
      kept.emplace_back(text);
    }
  }
  return kept;
}

}  // namespace

int Outcome::exit_code() const {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int Outcome::signal_number() const {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TappedProgram& TappedProgram::With(std::string variable) {
  variables_.push_back(std::move(variable));
  return *this;
}

TappedProgram& TappedProgram::Always(std::string variable) {
  always_.push_back(std::move(variable));
  return *this;
}

TappedProgram& TappedProgram::Into(std::string directory) {
  directory_ = std::move(directory);
  return *this;
}

TappedProgram& TappedProgram::Among(std::string before_tap,
                                    std::string behind_tap) {
  before_tap_ = std::move(before_tap);
  behind_tap_ = std::move(behind_tap);
  return *this;
}

Outcome TappedProgram::RunBare(std::vector<std::string> arguments) {
  return Start(std::move(arguments), false, -1);
}

Outcome TappedProgram::Run(std::vector<std::string> arguments) {
  return Start(std::move(arguments), true, -1);
}

Outcome TappedProgram::RunAndKill(std::vector<std::string> arguments,
                                  int microseconds) {
  return Start(std::move(arguments), true, microseconds);
}

Outcome TappedProgram::Start(std::vector<std::string> arguments, bool tapped,
                             int kill_after_us) {
  arguments.insert(arguments.begin(), PathOf(name_));
  std::vector<std::string> environment = CleanEnvironment();
  environment.insert(environment.end(), always_.begin(), always_.end());
  environment.push_back("LD_PRELOAD=" + before_tap_ + ":" +
                        (tapped ? kTap : "") + ":" + behind_tap_);
  if (tapped) {
    environment.push_back("DLTAP_OUTPUT=" + directory_);
    environment.insert(environment.end(), variables_.begin(), variables_.end());
  }
  int output[2];
  if (pipe(output) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(output[1], STDOUT_FILENO);
    close(output[0]);
    close(output[1]);
    execve(arguments[0].c_str(), Pointers(arguments).data(),
           Pointers(environment).data());
    _exit(127);
  }
  close(output[1]);
  if (kill_after_us >= 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(kill_after_us));
    kill(child, SIGKILL);
  }
  Outcome outcome;
  outcome.output = ReadAll(output[0]);
  close(output[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

analyzer::TraceModel TappedProgram::Read() const {
  std::vector<std::string> problems;
  auto model = analyzer::ReadTrace({directory_}, &problems);
  for (const std::string& problem : problems) {
    // Killed between creating its file and the first write.
    if (problem.find("the file is empty") != std::string::npos) continue;
    ADD_FAILURE() << "problem in the trace: " << problem;
  }
  if (!model.ok() && !problems.empty()) return {};  // told above
  if (!model.ok()) {
    ADD_FAILURE() << model.status();
    return {};
  }
  return *std::move(model);
}

std::vector<std::string> TappedProgram::Files() const {
  std::vector<std::string> names;
  if (!std::filesystem::exists(directory_)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

uint64_t Recorded(const analyzer::TraceModel& model, std::string_view symbol) {
  uint64_t calls = 0;
  for (const auto& process : model.processes) {
    for (const auto& call : process.calls) {
      calls += model.entry_points[call.entry.value()].symbol == symbol;
    }
  }
  return calls;
}

uint64_t Counted(const analyzer::TraceModel& model, std::string_view symbol) {
  uint64_t calls = 0;
  for (const auto& process : model.processes) {
    for (const auto& counted : process.counted) {
      if (model.entry_points[counted.entry.value()].symbol == symbol) {
        calls += counted.calls;
      }
    }
  }
  return calls;
}

uint64_t Lost(const analyzer::TraceModel& model, std::string_view cause) {
  uint64_t count = 0;
  for (const auto& process : model.processes) {
    for (const auto& loss : process.losses) {
      if (loss.cause == cause) count += loss.count;
    }
  }
  return count;
}

uint64_t AllCalls(const analyzer::TraceModel& model) {
  uint64_t calls = 0;
  for (const auto& process : model.processes) {
    calls += process.calls.size();
    for (const auto& counted : process.counted) calls += counted.calls;
  }
  return calls;
}

uint64_t CallsIn(const std::string& output) {
  const size_t at = output.find("calls ");
  return at == std::string::npos ? 0 : std::stoull(output.substr(at + 6));
}

}  // namespace dltap
