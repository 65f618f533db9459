// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

namespace dltap::analyzer {
namespace {

// All that ask or end a process from outside.
std::vector<int> ForwardedSignals() {
  std::vector<int> signals = {SIGINT,    SIGTERM, SIGHUP,   SIGQUIT, SIGUSR1,
                              SIGUSR2,   SIGALRM, SIGXCPU,  SIGPWR,  SIGIO,
                              SIGVTALRM, SIGPROF, SIGSTKFLT};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    signals.push_back(signal);
  }
  return signals;
}

std::atomic<pid_t> g_child{0};

// The kernel sends a terminal's signals to the whole group, the child too. An
// alarm that was set before we were started was meant for the program.
void Forward(int signal, siginfo_t* info, void*) {
  const pid_t child = g_child.load();
  if (child > 0 && (info->si_code != SI_KERNEL || signal == SIGALRM)) {
    kill(child, signal);
  }
}

// Takes the signals while it lives. A signal that was ignored stays so, for
// the child too (nohup).
class SignalForwarding {
 public:
  SignalForwarding() {
    struct sigaction forward = {};
    forward.sa_sigaction = Forward;
    forward.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&forward.sa_mask);
    for (size_t i = 0; i < signals_.size(); ++i) {
      sigaction(signals_[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) {
        sigaction(signals_[i], &forward, nullptr);
      }
    }
  }
  ~SignalForwarding() { Restore(); }
  SignalForwarding(const SignalForwarding&) = delete;
  SignalForwarding& operator=(const SignalForwarding&) = delete;

  void Restore() const {
    for (size_t i = 0; i < signals_.size(); ++i) {
      sigaction(signals_[i], &before_[i], nullptr);
    }
  }

 private:
  const std::vector<int> signals_ = ForwardedSignals();
  std::vector<struct sigaction> before_{signals_.size()};
};

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// 0 when the pipe was closed without a word.
int ReadErrno(int pipe) {
  int error = 0;
  while (read(pipe, &error, sizeof(error)) < 0 && errno == EINTR) {
  }
  return error;
}

int WaitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ChildResult RunChild(const std::vector<std::string>& command,
                     const std::map<std::string, std::string>& environment) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> settings;
  for (const auto& [name, value] : environment) {
    settings.push_back(name + "=" + value);
  }
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(settings);
  // Closed by a successful exec; else it carries errno.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return {.exec_error = errno};
  // Blocked until the handler knows whom to forward to.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const SignalForwarding forwarding;
  const pid_t child = fork();
  if (child == 0) {
    forwarding.Restore();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvpe(argv[0], argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written =
        write(report[1], &error, sizeof(error));
    _exit(127);
  }
  const int fork_error = child < 0 ? errno : 0;
  g_child = child;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(report[1]);
  ChildResult result = {.exec_error = fork_error};
  if (child > 0) {
    result.exec_error = ReadErrno(report[0]);
    result.exit_code = WaitFor(child);
  }
  g_child = 0;
  close(report[0]);
  return result;
}

}  // namespace dltap::analyzer
