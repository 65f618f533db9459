// SPDX-License-Identifier: Apache-2.0
// Inference on batches that flow through streams: one stream uploads, two
// compute in turn, one downloads. Events tie them together, a host function
// counts what has arrived, and each batch has its buffers on the device.
#include <array>
#include <atomic>
#include <cstdio>
#include <vector>

#include "tests/workloads/cuda/check.h"
#include "tests/workloads/cuda/device_array.h"
#include "tests/workloads/cuda/kernels.h"
#include "tests/workloads/cuda/options.h"

namespace workloads {
namespace {

constexpr int kWidth = 1024;
constexpr int kSlots = 2;

struct Stream {
  explicit Stream(int priority) {
    CHECK(cudaStreamCreateWithPriority(&id, cudaStreamNonBlocking, priority));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(id); }

  cudaStream_t id = nullptr;
};

struct Event {
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    CHECK(cudaEventCreateWithFlags(&id, flags));
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(id); }

  cudaEvent_t id = nullptr;
};

// Buffers and marks of a batch in flight.
struct Slot {
  explicit Slot(int size)
      : input(SmallNumbers<float>(size, 1)),
        output(std::vector<float>(size)),
        x(size),
        y(size) {}

  PinnedArray<float> input, output;
  DeviceArray<float> x, y;
  Event uploaded, computed, downloaded;
};

class Pipeline {
 public:
  explicit Pipeline(int batch)
      : rows_(batch),
        size_(batch * kWidth),
        weights_(SmallNumbers<float>(size_t{kWidth} * kWidth, 0.1f)),
        upload_(0),
        download_(0),
        compute_{Stream(0), Stream(LowestNumber())},
        slots_{Slot(size_), Slot(size_)},
        begin_(cudaEventDefault),
        end_(cudaEventDefault) {
    CHECK(cublasCreate(&cublas_));
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline() { cublasDestroy(cublas_); }

  void Run(int batches) {
    CHECK(cudaEventRecord(begin_.id, upload_.id));
    for (int i = 0; i < batches; ++i) Submit(slots_[i % kSlots], i);
    CHECK(cudaEventRecord(end_.id, download_.id));
    CHECK(cudaEventSynchronize(end_.id));
    float elapsed_ms = 0;
    CHECK(cudaEventElapsedTime(&elapsed_ms, begin_.id, end_.id));
    CHECK(cudaDeviceSynchronize());
    std::printf("%d of %d batches arrived%s\n", arrived_.load(), batches,
                elapsed_ms > 0 ? "" : " in no time");
  }

 private:
  // The more urgent a stream, the lower its number.
  static int LowestNumber() {
    int least = 0, greatest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    return greatest;
  }

  void Submit(Slot& slot, int number) {
    const cudaStream_t compute = compute_[number % kSlots].id;
    const size_t bytes = size_ * sizeof(float);
    CHECK(cudaStreamWaitEvent(upload_.id, slot.computed.id, 0));
    slot.input.CopyTo(slot.x, upload_.id);
    CHECK(cudaEventRecord(slot.uploaded.id, upload_.id));

    CHECK(cudaStreamWaitEvent(compute, slot.uploaded.id, 0));
    CHECK(cudaStreamWaitEvent(compute, slot.downloaded.id, 0));
    CHECK(cudaMemsetAsync(slot.y.data(), 0, bytes, compute));
    const float one = 1, zero = 0;
    CHECK(cublasSetStream(cublas_, compute));
    CHECK(cublasSgemm(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, kWidth, rows_, kWidth,
                      &one, weights_.data(), kWidth, slot.x.data(), kWidth,
                      &zero, slot.y.data(), kWidth));
    ReluForward(slot.y.data(), slot.y.data(), size_, compute);
    CHECK(cudaEventRecord(slot.computed.id, compute));

    CHECK(cudaStreamWaitEvent(download_.id, slot.computed.id, 0));
    CHECK(cudaMemcpyAsync(slot.output.data(), slot.y.data(), bytes,
                          cudaMemcpyDeviceToHost, download_.id));
    CHECK(cudaEventRecord(slot.downloaded.id, download_.id));
    CHECK(cudaLaunchHostFunc(
        download_.id,
        [](void* arrived) { ++*static_cast<std::atomic<int>*>(arrived); },
        &arrived_));
  }

  int rows_, size_;
  cublasHandle_t cublas_ = nullptr;
  DeviceArray<float> weights_;
  Stream upload_, download_;
  std::array<Stream, kSlots> compute_;
  std::array<Slot, kSlots> slots_;
  Event begin_, end_;
  std::atomic<int> arrived_{0};
};

}  // namespace
}  // namespace workloads

int main(int argc, char** argv) {
  const auto options = workloads::ParseOptions(argc, argv, 64);
  workloads::Pipeline(options.batch).Run(options.steps);
}
