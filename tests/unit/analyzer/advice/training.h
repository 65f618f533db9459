// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_ANALYZER_ADVICE_TRAINING_H_
#define DLTAP_TESTS_UNIT_ANALYZER_ADVICE_TRAINING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/analyzer/advice/advice_of_text.h"

namespace dltap::analyzer {

inline constexpr int kSteps = 6;

// What a step does, one thing after the other: the GPU is never idle. Written
// out as several equal steps.
class Training {
 public:
  // A library call with its arguments, of one kernel.
  Training& Product(const std::string& call, int us,
                    const std::string& kernel = "some_kernel") {
    return Add(call, us, absl::StrCat("name=\"", kernel, "\""), true);
  }
  // A framework's own kernel.
  Training& Kernel(const std::string& kernel, int us, int blocks = 1) {
    return Add("cudaLaunchKernel", us,
               absl::StrCat("name=\"", kernel, "\" grid=", blocks,
                            ",1,1 block=128,1,1"),
               false);
  }
  // From GPU memory to GPU memory; `where`: arguments of the call.
  Training& Copy(int us, const std::string& where = "") {
    Add("cudaMemcpyAsync" + where, us, "kind=dtod src=device dst=device bytes=1000000",
        false);
    items_.back().activity = "memcpy";
    return *this;
  }
  // The host looks at a value.
  Training& Read() {
    Add("cudaMemcpyAsync", 2, "kind=dtoh src=device dst=pinned bytes=1", false);
    items_.back().activity = "memcpy";
    return *this;
  }
  // Each kernel from here on is submitted by a call of so many us after the one
  // before has ended.
  Training& CallingFor(int us) {
    call_us_ = us;
    return *this;
  }
  Training& InBackward() { return OnThread(1); }
  Training& OnMainThread() { return OnThread(0); }

  std::string Text() const {
    std::string text =
        std::string(kH100) +
        absl::StrCat(
            "library cudart version=13000\n"
            "thread 0 tid=1 name=python\nthread 1 tid=2 name=pt_autograd_0\n");
    int64_t at = 100;
    int corr = 0;
    for (int step = 0; step < kSteps; ++step) {
      const int64_t begin = at;
      for (const Item& item : items_) at = Write(item, at, ++corr, text);
      absl::StrAppend(&text, "range t=", begin - 4, "..", at - 5,
                      "us thread=0 name=ProfilerStep#", step, " kind=step\n");
    }
    return text;
  }
  AdviceList Advised() const { return AdviceOf(Text()); }

 private:
  struct Item {
    std::string call;
    std::string kernel;
    int us;
    int thread;
    bool library;
    int call_us;  // 0: while the kernel before it runs
    const char* activity = "kernel";
  };

  Training& OnThread(int thread) {
    thread_ = thread;
    return *this;
  }
  Training& Add(const std::string& call, int us, const std::string& kernel,
                bool library) {
    items_.push_back({call, kernel, us, thread_, library, call_us_});
    return *this;
  }

  static int64_t Write(const Item& item, int64_t at, int corr,
                       std::string& text) {
    // Submitted 3 us before it runs, while the one before it does.
    const int64_t call = item.call_us > 0 ? at : at - 3;
    at += item.call_us;
    absl::StrAppend(&text, "call t=", call, "..",
                    item.call_us > 0 ? at : call + 1, "us thread=", item.thread,
                    " ", item.call, "\n");
    absl::StrAppend(&text, "launchapi t=", call, "..", call + 1,
                    "us thread=", item.thread, " corr=", corr);
    if (item.library) absl::StrAppend(&text, " ext=", call, "us");
    absl::StrAppend(&text, "\n", item.activity, " t=", at, "..", at + item.us,
                    "us device=0 stream=7 corr=", corr, " ", item.kernel, "\n");
    return at + item.us;
  }

  std::vector<Item> items_;
  int thread_ = 0;
  int call_us_ = 0;
};

inline std::string Vectorized(const std::string& functor, int arrays) {
  return absl::StrCat("void at::native::vectorized_elementwise_kernel<4, ",
                      functor, ", std::array<char*, ", arrays, "ul> >(int)");
}
inline const std::string kAdd =
    Vectorized("at::native::CUDAFunctor_add<float>", 3);
inline const std::string kAddcdiv = Vectorized(
    "at::native::addcdiv_cuda_kernel(at::TensorIteratorBase&)::{lambda(float, "
    "float, float)#1}",
    4);

inline constexpr char kGemm[] = "cublasSgemm_v2 m=4096 n=4096 k=4096";
inline constexpr char kTf32[] = "cutlass_80_tensorop_s1688gemm_128x256_nn";

}  // namespace dltap::analyzer

#endif  // DLTAP_TESTS_UNIT_ANALYZER_ADVICE_TRAINING_H_
