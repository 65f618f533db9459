// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/green_context.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "simgpu/base/architecture.h"
#include "simgpu/base/clock.h"
#include "simgpu/stream/capture_sequence.h"
#include "simgpu/stream/context.h"
#include "simgpu/stream/timeline.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<uint64_t> g_last_id{0};
constinit std::atomic<uint64_t> g_last_split{0};

struct Book {
  std::mutex mutex;
  std::map<const Context*, GreenContext*> by_context;
};

Book& TheBook() {
  static auto* const book = new Book;
  return *book;
}

opmodel::GpuSpec WithSms(const opmodel::GpuSpec& whole, unsigned sms) {
  opmodel::GpuSpec part = whole;
  const double share = static_cast<double>(sms) / whole.sms;
  part.sms = static_cast<int>(sms);
  for (double* rate : {&part.fp64_flops_per_s, &part.fp64_tensor_flops_per_s,
                       &part.fp32_flops_per_s, &part.tf32_flops_per_s,
                       &part.fp16_vector_flops_per_s, &part.fp16_flops_per_s,
                       &part.fp8_flops_per_s, &part.int8_ops_per_s}) {
    *rate *= share;
  }
  return part;
}

std::vector<Stream*> StreamsOf(Device& device, const GreenContext* green) {
  const std::lock_guard lock(device.streams_mutex);
  std::vector<Stream*> streams = device.streams;
  std::erase_if(streams, [&](const Stream* stream) {
    return green != nullptr && stream->green != green;
  });
  return streams;
}

}  // namespace

SmGranularity GranularityOf(const Device& device) {
  const int major = device.gpu.compute_major;
  if (major >= 9) return {8, 8};
  if (major == 8) return {4, 2};
  return {2, 2};
}

Error SplitSms(const SmResource& input, unsigned least_sms, bool fine,
               unsigned wanted_groups, SmSplit* split) {
  constexpr SmGranularity kFine{2, 2};
  const SmGranularity granularity = fine ? kFine : GranularityOf(*input.device);
  if (least_sms > input.sms) return Error::kInvalidValue;
  unsigned sms = std::max(least_sms, granularity.least);
  sms = (sms + granularity.step - 1) / granularity.step * granularity.step;
  split->groups = std::min(wanted_groups, input.sms / sms);
  const uint64_t id = g_last_split.fetch_add(1) + 1;
  split->group = {input.device, sms, id};
  split->rest = {input.device, input.sms - split->groups * sms, id};
  return Error::kSuccess;
}

Error DescribeSms(const std::vector<SmResource>& resources,
                  SmDescription** description) {
  SmResource all = resources.front();
  for (size_t i = 1; i < resources.size(); ++i) {
    if (resources[i].device != all.device || all.split == 0 ||
        resources[i].split != all.split) {
      return Error::kInvalidResourceConfiguration;
    }
    all.sms += resources[i].sms;
  }
  *description = HandlePool<SmDescription>::New(all);
  return Error::kSuccess;
}

GreenContext::GreenContext(const SmResource& made_of)
    : Handle(kTag),
      resource(made_of),
      id(g_last_id.fetch_add(1) + 1),
      gpu(WithSms(made_of.device->gpu, made_of.sms)),
      sm_sharing(ArchitectureOf(gpu).max_resident_grids, !IsVirtualTime()),
      context(NewContext(*made_of.device)) {}

Error CreateGreenContext(const SmDescription& description,
                         GreenContext** context) {
  Device& device = *description.resource.device;
  device.primary_references.fetch_add(1);
  ActivatePrimary(device);
  *context = HandlePool<GreenContext>::New(description.resource);
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  book.by_context[(*context)->context] = *context;
  return Error::kSuccess;
}

Error DestroyGreenContext(GreenContext& context) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  book.by_context.erase(context.context);
  context.tag = 0;
  context.context->tag = 0;
  context.resource.device->primary_references.fetch_sub(1);
  return Error::kSuccess;
}

GreenContext* GreenContextOf(const Context* context) {
  Book& book = TheBook();
  const std::lock_guard lock(book.mutex);
  const auto found = book.by_context.find(context);
  return found == book.by_context.end() ? nullptr : found->second;
}

void EnterGreenContext(Stream& stream, GreenContext& context) {
  stream.green = &context;
  stream.gpu = &context.gpu;
  stream.sm_sharing = &context.sm_sharing;
}

Error RecordContextEvent(Device& device, const GreenContext* green,
                         Event& event) {
  if (event.device != &device) return Error::kInvalidHandle;
  const Error error = RefuseWhileDeviceCaptures(device);
  if (error != Error::kSuccess) return error;
  EventMoment moment;
  if (green == nullptr) {
    moment.time_ns = device.retired_tail_ns.load();
    moment.host_ticket = device.retired_host_ticket.load();
  }
  for (Stream* stream : StreamsOf(device, green)) {
    moment.time_ns = std::max(moment.time_ns, TailBefore(*stream));
    moment.host_ticket =
        JoinHostWork(moment.host_ticket, HostTicketBefore(*stream));
  }
  moment.order = OrderOfAll();
  const std::lock_guard lock(event.mutex);
  SetMoment(event, std::move(moment));
  return Error::kSuccess;
}

Error ContextWaitEvent(Device& device, const GreenContext* green,
                       Event& event) {
  Error error = RefuseWhileDeviceCaptures(device);
  if (error == Error::kSuccess) error = RefuseCapturedEvent(event);
  for (Stream* stream : StreamsOf(device, green)) {
    if (error != Error::kSuccess) return error;
    error = WaitForEvent(*stream, event);
  }
  return error;
}

}  // namespace dltap::simgpu
