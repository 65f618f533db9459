// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/training_trace.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "opmodel/operation.h"
#include "tests/support/trace_bytes.h"

namespace dltap {
namespace {

using specs::ArgKind;
using specs::Meaning;
using trace::BlockKind;
using trace::CallFields;
using trace::TraceBytes;

constexpr uint64_t kStart = 1'000'000;
constexpr uint64_t kHostNs = 5'000;  // from one call to the next
constexpr int kLayers = 24;
constexpr int kGraphNodes = 40;
constexpr uint64_t kFirstNode = 1000;
constexpr size_t kCallsInBlock = 256;

enum Entry : uint16_t {
  kMatmul = 16,
  kLaunch,
  kNorm,
  kCopy,
  kWait,
  kReplay,
  kAllReduce
};
enum Stream : uint32_t { kCompute = 1, kComm = 2 };
enum ThreadIndex : uint32_t { kMain = 0, kAutograd = 1 };

// Kernels by the number of their text, variant and function handle.
constexpr std::string_view kKernels[] = {
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas",
    "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT",
    "_ZN5cudnn3ops23nchw_norm_forward_kernelIfLi4EEEvT_",
    "_ZN2at6native29vectorized_elementwise_kernelILi8ENS0_15CUDAFunctor_addIN3"
    "c108BFloat16EEESt5arrayIPcLm3EEEEviT0_T1_",
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocast"
    "INS0_13BinaryFunctorIN3c108BFloat16ES5_S5_NS0_15binary_internal10MulFunc"
    "torIfEEEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_",
    "_ZN2at6native29vectorized_elementwise_kernelILi8EZZZNS0_16sqrt_kernel_cud"
    "aERNS_18TensorIteratorBaseEENKUlvE0_clEvENKUlvE2_clEvEUlN3c108BFloat16EE_"
    "St5arrayIPcLm2EEEEviT0_T1_",
    "_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernel"
    "IZNS0_17index_kernel_implINS0_10OpaqueTypeILi4EEEEEvRNS_18TensorIteratorB"
    "aseEN3c108ArrayRefIlEESA_EUlPcPKclE_EEvS7_SA_SA_RKT_bEUliE_EEvlT1_",
    "multi_tensor_apply_kernel",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)",
};
enum Kernel : uint32_t {
  kGemm = 1,
  kGemmBackward,
  kNormKernel,
  kFirstPlain,
  kUpdate = 8,
  kRing = 9
};
constexpr uint32_t kPlainKernels = 4;

// One thread's calls, in the order in which they return.
struct HostThread {
  uint32_t index;
  uint64_t next_slot = 0;
  std::vector<CallFields> calls = {};
};

class TrainingTrace {
 public:
  explicit TrainingTrace(const std::string& path)
      : file_(path, std::ios::binary) {
    Define();
    Capture();
  }

  void AddStep() {
    AddAnchor();
    Copy(1);
    for (int layer = 0; layer < kLayers; ++layer) {
      Library(main_, kMatmul, kGemm, kCompute);
      Library(main_, kNorm, kNormKernel, kCompute);
      for (uint32_t i = 0; i < 4; ++i) Plain(main_, kFirstPlain + i);
    }
    Replay();
    for (int layer = 0; layer < kLayers; ++layer) {
      Library(autograd_, kMatmul, kGemmBackward, kCompute);
      Library(autograd_, kMatmul, kGemmBackward, kCompute);
      Library(autograd_, kNorm, kNormKernel, kCompute);
      for (uint32_t i = 0; i < 6; ++i) {
        Plain(autograd_, kFirstPlain + i % kPlainKernels);
      }
      if (layer % 6 == 5) Library(autograd_, kAllReduce, kRing, kComm);
    }
    for (int i = 0; i < 12; ++i) Plain(main_, kUpdate);
    Copy(2);
    Call(main_, kWait, 0, nullptr, 0,
         std::max(busy_until_[kCompute], now_ + kHostNs) - now_);
    Drain();
  }

  uint64_t events() const { return events_; }

 private:
  void Define() {
    trace_.Entry(kMatmul, "cublasLtMatmul",
                 {{"operation", 0, 4, ArgKind::kUint, Meaning::kOperation},
                  {"stream", 8, 8, ArgKind::kHandle, Meaning::kStream}});
    trace_.Entry(kLaunch, "cudaLaunchKernel",
                 {{"func", 0, 8, ArgKind::kHandle, Meaning::kKernel},
                  {"stream", 8, 8, ArgKind::kHandle, Meaning::kStream}});
    trace_.Entry(kNorm, "cudnnBackendExecute",
                 {{"operation", 0, 4, ArgKind::kUint, Meaning::kOperation}});
    trace_.Entry(kCopy, "cudaMemcpyAsync");
    trace_.Entry(kWait, "cudaStreamSynchronize");
    trace_.Entry(kReplay, "cudaGraphLaunch");
    trace_.Entry(kAllReduce, "ncclAllReduce");
    uint32_t id = 0;
    for (const std::string_view name : kKernels) DefineKernel(++id, name);
    DefineOperation(1, opmodel::OpKind::kGemm, {1024, 1024, 1024});
    DefineOperation(2, opmodel::OpKind::kNormForward, {});
    for (const uint32_t stream : {kCompute, kComm}) {
      trace::StreamRecord record = {};
      record.id = stream;
      record.context = 1;
      record.stream = 6 + stream;
      trace_.Put(BlockKind::kDefinitions, record);
    }
    DefineThread(kMain, "python");
    DefineThread(kAutograd, "pt_autograd_0");
    trace::DeviceRecord device = {};
    const std::string_view name = "NVIDIA H100 80GB HBM3";
    trace_.Put(BlockKind::kDefinitions, device,
               trace::Piece::String(name.data(), name.size()));
  }

  void DefineKernel(uint32_t id, std::string_view name) {
    trace_.Text(id, name);
    trace::KernelVariantRecord variant = {};
    variant.id = variant.text = id;
    trace_.Put(BlockKind::kDefinitions, variant);
    trace::KernelFunctionRecord function = {};
    function.function = id;
    function.text = id;
    trace_.Put(BlockKind::kDefinitions, function);
  }

  void DefineOperation(uint32_t id, opmodel::OpKind kind,
                       std::array<int64_t, 3> mnk) {
    struct {
      trace::OperationNode node = {};
      trace::DimRecord dims[3] = {};
    } nodes;
    nodes.node.kind = static_cast<uint8_t>(kind);
    nodes.node.math = static_cast<uint8_t>(opmodel::DType::kBf16);
    nodes.node.storage = nodes.node.math;
    nodes.node.dim_count = 3;
    const opmodel::Dim dims[] = {opmodel::Dim::kM, opmodel::Dim::kN,
                                 opmodel::Dim::kK};
    for (size_t i = 0; i < mnk.size(); ++i) {
      nodes.dims[i].dim = static_cast<uint8_t>(dims[i]);
      nodes.dims[i].value = mnk[i];
    }
    trace::OperationRecord record = {};
    record.id = id;
    record.node_count = 1;
    trace_.Put(BlockKind::kDefinitions, record,
               trace::Piece::Raw(&nodes, sizeof(nodes)));
  }

  void DefineThread(uint32_t index, std::string_view name) {
    trace::ThreadRecord record = {};
    record.index = index;
    record.tid = 42 + index;
    trace_.Put(BlockKind::kDefinitions, record,
               trace::Piece::String(name.data(), name.size()));
  }

  // Library calls whose launches become the nodes of a graph.
  void Capture() {
    for (int i = 0; i < kGraphNodes; ++i) {
      trace::GraphNodeRecord node = {};
      node.node = kFirstNode + i;
      node.call_begin_ticks = now_;
      activities_.Append(node);
      const bool gemm = i % 4 == 0;
      Call(main_, kLaunch, trace::kCallCapturing | gemm,
           Payload(kKernels->size()), 16, kHostNs / 2);
      if (gemm) {
        main_.calls.back().begin_ticks += kHostNs / 8;
        Call(main_, kMatmul, trace::kCallCapturing, Payload(1), 16,
             kHostNs - 1);
        main_.calls.back().begin_ticks = node.call_begin_ticks;
      }
    }
    Drain();
  }

  static const void* Payload(uint64_t first) {
    static std::array<std::array<uint64_t, 2>, 256> payloads;
    payloads[first % payloads.size()] = {first, 0x5000};
    return payloads[first % payloads.size()].data();
  }

  void Call(HostThread& thread, uint16_t entry, int flags, const void* payload,
            uint32_t bytes, uint64_t duration_ns) {
    thread.calls.push_back({.begin_ticks = now_,
                            .duration_ticks = duration_ns,
                            .entry_point = entry,
                            .flags = static_cast<uint8_t>(flags),
                            .payload = payload,
                            .payload_bytes = bytes});
    ++events_;
    now_ += duration_ns + 100;
  }

  // `external`: the library call around the launch; 0: a plain one.
  void ApiRecord(uint32_t thread, uint64_t begin_ns, uint64_t external) {
    trace::LaunchApiRecord launch = {};
    launch.start_ns = begin_ns;
    launch.duration_ns = 1'500;
    launch.external = external;
    launch.correlation = ++correlation_;
    launch.thread = thread;
    activities_.Append(launch);
    ++events_;
  }

  void KernelRecord(uint32_t kernel, uint32_t stream, uint64_t duration_ns) {
    uint64_t& busy_until = busy_until_[stream];
    trace::KernelRecord record = {};
    record.start_ns = std::max(busy_until + 900, now_);
    record.duration_ns = static_cast<uint32_t>(duration_ns);
    record.variant = kernel;
    record.stream = stream;
    record.correlation = correlation_;
    busy_until = record.start_ns + duration_ns;
    activities_.Append(record);
    ++events_;
  }

  void Library(HostThread& thread, uint16_t entry, uint32_t kernel,
               uint32_t stream) {
    const uint64_t begin = now_;
    now_ += 700;
    ApiRecord(thread.index, now_ + 200, begin);
    Call(thread, kLaunch, 1, Payload(kernel), 16, 2'000);
    KernelRecord(kernel, stream, 9'000 + 10 * kernel);
    Call(thread, entry, trace::kCallPushed, Payload(entry == kNorm ? 2 : 1), 16,
         now_ - begin + 300);
    thread.calls.back().begin_ticks = begin;
    now_ = begin + kHostNs;
  }

  void Plain(HostThread& thread, uint32_t kernel) {
    ApiRecord(thread.index, now_ + 200, 0);
    Call(thread, kLaunch, 0, Payload(kernel), 16, 2'200);
    KernelRecord(kernel, kCompute, 3'000 + 10 * kernel);
  }

  void Copy(uint8_t kind) {
    ApiRecord(kMain, now_ + 200, 0);
    Call(main_, kCopy, 0, nullptr, 0, 2'500);
    trace::MemcpyRecord record = {};
    record.start_ns = std::max(busy_until_[kCompute] + 900, now_);
    record.duration_ns = 2'000;
    record.correlation = correlation_;
    record.stream = kCompute;
    record.copy_kind = kind;
    record.bytes = 4096;
    busy_until_[kCompute] = record.start_ns + record.duration_ns;
    activities_.Append(record);
    ++events_;
  }

  void Replay() {
    ApiRecord(kMain, now_ + 200, 0);
    Call(main_, kReplay, 0, nullptr, 0, 4'000);
    for (int i = 0; i < kGraphNodes; ++i) {
      uint64_t& busy_until = busy_until_[kCompute];
      trace::KernelRecord record = {};
      record.start_ns = std::max(busy_until + 300, now_);
      record.duration_ns = 2'500;
      record.variant = i % 4 == 0 ? kGemm : kFirstPlain + i % kPlainKernels;
      record.stream = kCompute;
      record.correlation = correlation_;
      record.graph = 1;
      record.graph_node = kFirstNode + i;
      busy_until = record.start_ns + record.duration_ns;
      activities_.Append(record);
      ++events_;
    }
  }

  void AddAnchor() {
    trace::AnchorRecord anchor = {};
    anchor.ticks = anchor.monotonic_ns = anchor.activity_ns = now_;
    trace_.Put(BlockKind::kSamples, anchor);
    for (const uint32_t thread : {kMain, kAutograd}) {
      trace::CpuSampleRecord sample = {};
      sample.ticks = now_;
      sample.cpu_time_ns = (now_ - kStart) / 2;
      sample.thread = thread;
      sample.has_run_delay = 1;
      sample.run_delay_ns = sample.cpu_time_ns / 10;
      trace_.Put(BlockKind::kSamples, sample);
      AddSwitches(thread);
    }
    told_until_ = now_;
  }

  // Half of the time each thread sleeps, or is preempted, as the samples say.
  void AddSwitches(uint32_t thread) {
    constexpr uint64_t kTurns = 10;
    trace::SwitchesRecord record = {};
    record.ticks = record.monotonic_ns = record.end_ns = now_;
    record.begin_ns = told_until_;
    record.thread = thread;
    record.state = static_cast<uint8_t>(trace::ThreadSwitch::kRuns);
    const uint64_t turn_ns = (now_ - told_until_) / kTurns;
    std::vector<uint64_t> switches;
    for (uint64_t i = 0; i < kTurns; ++i) {
      const auto off = i == 0 ? trace::ThreadSwitch::kPreempted
                              : trace::ThreadSwitch::kSleeps;
      const uint64_t at_ns = told_until_ + i * turn_ns;
      switches.push_back((at_ns + turn_ns / 2) << 2 |
                         static_cast<uint64_t>(off));
      switches.push_back((at_ns + turn_ns) << 2 |
                         static_cast<uint64_t>(trace::ThreadSwitch::kRuns));
    }
    record.count = static_cast<uint32_t>(switches.size());
    trace_.Put(BlockKind::kSamples, record,
               trace::Piece::Raw(switches.data(),
                                 switches.size() * sizeof(switches[0])));
  }

  void Drain() {
    for (HostThread* thread : {&main_, &autograd_}) {
      for (size_t i = 0; i < thread->calls.size(); i += kCallsInBlock) {
        const size_t end = std::min(i + kCallsInBlock, thread->calls.size());
        const std::vector<CallFields> calls(thread->calls.begin() + i,
                                            thread->calls.begin() + end);
        trace_.Calls(thread->index, thread->next_slot, calls);
        for (const CallFields& call : calls) {
          thread->next_slot += trace::SlotsFor(call.payload_bytes);
        }
      }
      thread->calls.clear();
    }
    trace_.Add(activities_.Finish(BlockKind::kActivities));
    activities_.Clear();
    file_.write(reinterpret_cast<const char*>(trace_.bytes().data()),
                static_cast<std::streamsize>(trace_.bytes().size()));
    trace_.bytes().clear();
  }

  std::ofstream file_;
  TraceBytes trace_;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(1 << 20);
  trace::BlockBuilder activities_{buffer_.data(), buffer_.size()};
  HostThread main_{kMain};
  HostThread autograd_{kAutograd};
  uint64_t now_ = kStart;
  uint64_t told_until_ = kStart;  // by switches
  std::array<uint64_t, 3> busy_until_ = {};
  uint64_t correlation_ = 0;
  uint64_t events_ = 0;
};

}  // namespace

uint64_t WriteTrainingTrace(const std::string& path, uint64_t min_events) {
  TrainingTrace trace(path);
  while (trace.events() < min_events) trace.AddStep();
  return trace.events();
}

}  // namespace dltap
