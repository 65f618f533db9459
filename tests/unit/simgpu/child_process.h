// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_CHILD_PROCESS_H_
#define DLTAP_TESTS_UNIT_SIMGPU_CHILD_PROCESS_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

extern char** environ;

// One end of a conversation between two test processes: values and file
// descriptors. A partner that has gone fails the test instead of hanging it.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}

  template <typename T>
  void Send(const T& value) {
    ASSERT_EQ(static_cast<ssize_t>(sizeof(value)),
              send(socket_, &value, sizeof(value), MSG_NOSIGNAL));
  }

  template <typename T>
  T Receive() {
    T value{};
    EXPECT_EQ(static_cast<ssize_t>(sizeof(value)),
              recv(socket_, &value, sizeof(value), MSG_WAITALL));
    return value;
  }

  void SendDescriptor(int descriptor) {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(descriptor));
    ASSERT_EQ(1, sendmsg(socket_, &message, MSG_NOSIGNAL));
  }

  int ReceiveDescriptor() {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    EXPECT_EQ(1, recvmsg(socket_, &message, 0));
    int descriptor = -1;
    if (cmsghdr* rights = CMSG_FIRSTHDR(&message)) {
      std::memcpy(&descriptor, CMSG_DATA(rights), sizeof(descriptor));
    }
    return descriptor;
  }

 private:
  int socket_;
};

constexpr char kLineVariable[] = "DLTAP_TEST_LINE";

// In the child: its end. -1 in a process that is no child.
inline Line ToParent() {
  const char* number = std::getenv(kLineVariable);
  return Line(number == nullptr ? -1 : std::atoi(number));
}

// Another process of this test program, which runs one disabled test.
class Child {
 public:
  explicit Child(const std::string& test) : line(-1) {
    int ends[2];
    EXPECT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    setenv(kLineVariable, std::to_string(ends[1]).c_str(), 1);
    std::string filter = "--gtest_filter=" + test;
    std::string also = "--gtest_also_run_disabled_tests";
    char program[] = "/proc/self/exe";
    char* arguments[] = {program, filter.data(), also.data(), nullptr};
    EXPECT_EQ(
        0, posix_spawn(&pid_, program, nullptr, nullptr, arguments, environ));
    unsetenv(kLineVariable);
    close(ends[1]);
    line = Line(ends[0]);
    socket_ = ends[0];
  }
  ~Child() {
    if (!waited_) Wait();
    close(socket_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Until it has ended; expects that its test passed.
  void Wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    EXPECT_EQ(0, status);
    waited_ = true;
  }

  Line line;

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
  bool waited_ = false;
};

#endif  // DLTAP_TESTS_UNIT_SIMGPU_CHILD_PROCESS_H_
