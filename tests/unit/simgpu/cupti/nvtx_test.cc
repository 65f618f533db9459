// SPDX-License-Identifier: Apache-2.0
// NVTX through CUPTI: markers, names, callbacks.
#include <cuda.h>
#include <generated_nvtx_meta.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <cstdlib>
#include <string>

#include "tests/unit/simgpu/cupti/records_test.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

class CuptiNvtxTest : public RecordsTest {
 protected:
  static std::vector<CUpti_ActivityMarker2> Markers() {
    cuptiActivityFlushAll(0);
    return Delivered<CUpti_ActivityMarker2>(CUPTI_ACTIVITY_KIND_MARKER);
  }
};

TEST_F(CuptiNvtxTest, ARangeHasABeginningAndAnEnd) {
  Enable(CUPTI_ACTIVITY_KIND_MARKER);
  EXPECT_EQ(nvtxRangePushA("outer"), 0);
  EXPECT_EQ(nvtxRangePushW(L"\u00e4 inner"), 1);
  nvtxMarkA("here");
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_LT(nvtxRangePop(), 0);
  const auto markers = Markers();
  ASSERT_EQ(markers.size(), 5);
  EXPECT_STREQ(markers[0].name, "outer");
  EXPECT_EQ(markers[0].flags, CUPTI_ACTIVITY_FLAG_MARKER_START);
  EXPECT_STREQ(markers[1].name, "\u00e4 inner");
  EXPECT_STREQ(markers[2].name, "here");
  EXPECT_EQ(markers[2].flags, CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS);
  EXPECT_EQ(markers[3].flags, CUPTI_ACTIVITY_FLAG_MARKER_END);
  EXPECT_EQ(markers[3].id, markers[1].id);
  EXPECT_EQ(markers[3].name, nullptr);
  EXPECT_EQ(markers[4].id, markers[0].id);
  EXPECT_LE(markers[0].timestamp, markers[4].timestamp);
  EXPECT_EQ(markers[0].objectKind, CUPTI_ACTIVITY_OBJECT_THREAD);
  EXPECT_EQ(markers[0].domain, nullptr);
}

TEST_F(CuptiNvtxTest, ADomainsRangesAreItsOwn) {
  Enable(CUPTI_ACTIVITY_KIND_MARKER);
  Enable(CUPTI_ACTIVITY_KIND_MARKER_DATA);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("science");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xff112233;
  attributes.category = 5;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  attributes.payload.iValue = -7;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered =
      nvtxDomainRegisterStringA(domain, "registered");
  nvtxRangePushA("default");
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &attributes), 0);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  const auto markers = Markers();
  ASSERT_EQ(markers.size(), 4);
  EXPECT_STREQ(markers[1].name, "registered");
  EXPECT_STREQ(markers[1].domain, "science");
  EXPECT_EQ(markers[2].id, markers[0].id);
  EXPECT_EQ(markers[3].id, markers[1].id);
  EXPECT_STREQ(markers[3].domain, "science");
  const auto data =
      Delivered<CUpti_ActivityMarkerData2>(CUPTI_ACTIVITY_KIND_MARKER_DATA);
  ASSERT_EQ(data.size(), 1);
  EXPECT_EQ(data[0].id, markers[1].id);
  EXPECT_EQ(data[0].color, 0xff112233);
  EXPECT_EQ(data[0].category, 5);
  EXPECT_EQ(data[0].payloadKind, CUPTI_METRIC_VALUE_KIND_INT64);
  EXPECT_EQ(data[0].payload.metricValueInt64, -7);
}

TEST_F(CuptiNvtxTest, NamesOfThreadsAndStreamsAreRecorded) {
  Enable(CUPTI_ACTIVITY_KIND_NAME);
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  nvtxNameOsThreadA(1234, "loader");
  nvtxNameCudaStreamA(stream, "copies");
  nvtxNameCudaDeviceA(0, "first");
  cuptiActivityFlushAll(0);
  const auto names = Delivered<CUpti_ActivityName>(CUPTI_ACTIVITY_KIND_NAME);
  ASSERT_EQ(names.size(), 3);
  EXPECT_EQ(names[0].objectKind, CUPTI_ACTIVITY_OBJECT_THREAD);
  EXPECT_EQ(names[0].objectId.pt.threadId, 1234);
  EXPECT_STREQ(names[0].name, "loader");
  uint32_t id = 0;
  cuptiGetStreamId(nullptr, stream, &id);
  EXPECT_EQ(names[1].objectKind, CUPTI_ACTIVITY_OBJECT_STREAM);
  EXPECT_EQ(names[1].objectId.dcs.streamId, id);
  EXPECT_STREQ(names[1].name, "copies");
  EXPECT_EQ(names[2].objectKind, CUPTI_ACTIVITY_OBJECT_DEVICE);
  cudaStreamDestroy(stream);
}

struct Seen {
  std::vector<std::string> functions;
  std::string pushed;
  int level = -1;
};

void CUPTIAPI OnCallback(void* user, CUpti_CallbackDomain domain,
                         CUpti_CallbackId cbid, const void* data) {
  Seen& seen = *static_cast<Seen*>(user);
  ASSERT_EQ(domain, CUPTI_CB_DOMAIN_NVTX);
  const auto& call = *static_cast<const CUpti_NvtxData*>(data);
  seen.functions.emplace_back(call.functionName);
  if (cbid == CUPTI_CBID_NVTX_nvtxRangePushA) {
    seen.pushed =
        static_cast<const nvtxRangePushA_params*>(call.functionParams)->message;
    seen.level = *static_cast<const int*>(call.functionReturnValue);
  }
}

TEST_F(CuptiNvtxTest, CallsAreShownToTheSubscriber) {
  Seen seen;
  CUpti_SubscriberHandle subscriber{};
  ASSERT_EQ(cuptiSubscribe(&subscriber, OnCallback, &seen), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_NVTX),
            CUPTI_SUCCESS);
  nvtxRangePushA("step");
  nvtxRangePop();
  cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_NVTX,
                      CUPTI_CBID_NVTX_nvtxRangePop);
  nvtxRangePushA("step");
  nvtxRangePop();
  cuptiUnsubscribe(subscriber);
  nvtxMarkA("unseen");
  EXPECT_EQ(seen.functions,
            (std::vector<std::string>{"nvtxRangePushA", "nvtxRangePop",
                                      "nvtxRangePushA"}));
  EXPECT_EQ(seen.pushed, "step");
  EXPECT_EQ(seen.level, 0);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  setenv("NVTX_INJECTION64_PATH", DLTAP_TEST_CUPTI, 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
