// SPDX-License-Identifier: Apache-2.0
// Callbacks of the domains RESOURCE and SYNCHRONIZE, and the subscriber's
// rules.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Seen {
  std::vector<CUpti_CallbackId> resources;
  std::vector<CUpti_GraphData> graphs;
  CUpti_ModuleResourceData module{};
  CUpti_StreamAttrData attribute{};
  int attribute_value = 0;
  std::vector<std::pair<CUpti_CallbackId, CUstream>> synchronisations;
};

void OnResource(Seen& seen, CUpti_CallbackId cbid,
                const CUpti_ResourceData& data) {
  seen.resources.push_back(cbid);
  const bool of_graph = (cbid >= CUPTI_CBID_RESOURCE_GRAPH_CREATED &&
                         cbid <= CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
  if (of_graph) {
    seen.graphs.push_back(
        *static_cast<const CUpti_GraphData*>(data.resourceDescriptor));
  } else if (cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    seen.module =
        *static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
  } else if (cbid == CUPTI_CBID_RESOURCE_STREAM_ATTRIBUTE_CHANGED) {
    seen.attribute =
        *static_cast<const CUpti_StreamAttrData*>(data.resourceDescriptor);
    seen.attribute_value = seen.attribute.value->priority;
  }
}

void CUPTIAPI OnCallback(void* user, CUpti_CallbackDomain domain,
                         CUpti_CallbackId cbid, const void* data) {
  Seen& seen = *static_cast<Seen*>(user);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    OnResource(seen, cbid, *static_cast<const CUpti_ResourceData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) {
    const auto& sync = *static_cast<const CUpti_SynchronizeData*>(data);
    EXPECT_NE(sync.context, nullptr);
    seen.synchronisations.emplace_back(cbid, sync.stream);
  }
}

class CuptiResourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
    ASSERT_EQ(cuptiSubscribe(&subscriber_, OnCallback, &seen_), CUPTI_SUCCESS);
    for (const auto domain :
         {CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE}) {
      ASSERT_EQ(cuptiEnableDomain(1, subscriber_, domain), CUPTI_SUCCESS);
    }
  }
  void TearDown() override { cuptiUnsubscribe(subscriber_); }

  Seen seen_;
  CUpti_SubscriberHandle subscriber_{};
};

using Ids = std::vector<CUpti_CallbackId>;

TEST_F(CuptiResourceTest, NodesAndEdgesOfAGraphAreFollowed) {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr;
  cudaGraphNode_t second = nullptr;
  cudaGraphNode_t third = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphAddEmptyNode(&first, graph, nullptr, 0);
  cudaGraphAddEmptyNode(&second, graph, &first, 1);
  cudaGraphAddEmptyNode(&third, graph, nullptr, 0);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &second, &third, nullptr, 1),
            cudaSuccess);
  ASSERT_EQ(cudaGraphRemoveDependencies(graph, &second, &third, nullptr, 1),
            cudaSuccess);
  EXPECT_EQ(seen_.resources,
            (Ids{CUPTI_CBID_RESOURCE_GRAPH_CREATED,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_CREATED,
                 CUPTI_CBID_RESOURCE_GRAPHNODE_DEPENDENCY_DESTROY_STARTING}));
  const CUpti_GraphData& edge = seen_.graphs[5];
  EXPECT_EQ(edge.graph, graph);
  EXPECT_EQ(edge.node, first);
  EXPECT_EQ(edge.dependency, second);
  EXPECT_EQ(edge.nodeType, CU_GRAPH_NODE_TYPE_EMPTY);
  EXPECT_EQ(seen_.graphs[8].dependency, third);
  EXPECT_EQ(seen_.graphs[9].node, second);
}

TEST_F(CuptiResourceTest, AnExecBeginsAndEnds) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphCreate(&graph, 0);
  seen_.resources.clear();
  seen_.graphs.clear();
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(seen_.resources, (Ids{CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING,
                                  CUPTI_CBID_RESOURCE_GRAPH_CLONED,
                                  CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED}));
  EXPECT_EQ(seen_.graphs[0].graph, graph);
  EXPECT_EQ(seen_.graphs[0].graphExec, nullptr);
  EXPECT_EQ(seen_.graphs[2].graphExec, exec);
  uint32_t exec_id = 0;
  uint32_t graph_id = 0;
  EXPECT_EQ(cuptiGetGraphExecId(exec, &exec_id), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiGetGraphId(graph, &graph_id), CUPTI_SUCCESS);
  EXPECT_NE(exec_id, graph_id);
  uint32_t same_id = 0;  // as XLA asks
  EXPECT_EQ(cuptiGetGraphId(reinterpret_cast<CUgraph>(exec), &same_id),
            CUPTI_SUCCESS);
  EXPECT_EQ(same_id, exec_id);
  EXPECT_EQ(cuptiGetGraphExecId(nullptr, &exec_id),
            CUPTI_ERROR_INVALID_PARAMETER);
  cudaGraphExecDestroy(exec);
  EXPECT_EQ(seen_.resources[3], CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
}

TEST_F(CuptiResourceTest, ModulesTellTheirImage) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.visible .entry f() { ret; }\n";
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(seen_.module.pCubin, ptx.c_str());
  EXPECT_EQ(seen_.module.cubinSize, ptx.size());
  EXPECT_NE(seen_.module.moduleId, 0);
  cuModuleUnload(module);
  EXPECT_EQ(seen_.resources, (Ids{CUPTI_CBID_RESOURCE_MODULE_LOADED,
                                  CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING}));
}

TEST_F(CuptiResourceTest, AttributesOfStreamsAreTold) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamAttrValue value{};
  value.priority = -3;
  ASSERT_EQ(cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, &value),
            cudaSuccess);
  EXPECT_EQ(seen_.attribute.stream, stream);
  EXPECT_EQ(static_cast<int>(seen_.attribute.attr),
            static_cast<int>(cudaLaunchAttributePriority));
  EXPECT_EQ(seen_.attribute_value, -3);
  cudaStreamDestroy(stream);
}

TEST_F(CuptiResourceTest, SynchronisationsAreToldAfterwards) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamSynchronize(stream);
  cudaStreamQuery(stream);
  cudaDeviceSynchronize();
  ASSERT_EQ(seen_.synchronisations.size(), 2);
  EXPECT_EQ(seen_.synchronisations[0].first,
            CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED);
  EXPECT_EQ(seen_.synchronisations[0].second, stream);
  EXPECT_EQ(seen_.synchronisations[1].first,
            CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED);
  cudaStreamDestroy(stream);
}

TEST_F(CuptiResourceTest, CallbacksThatDoNotExistAreRefused) {
  EXPECT_EQ(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_SYNCHRONIZE,
                                CUPTI_CBID_SYNCHRONIZE_SIZE),
            CUPTI_ERROR_INVALID_PARAMETER);
  // None at all, as Triton's profiler asks for.
  EXPECT_EQ(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, 0),
            CUPTI_SUCCESS);
  uint32_t enabled = 7;
  EXPECT_EQ(cuptiGetCallbackState(&enabled, subscriber_,
                                  CUPTI_CB_DOMAIN_RUNTIME_API, 99999),
            CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiGetCallbackState(&enabled, subscriber_,
                                  CUPTI_CB_DOMAIN_SYNCHRONIZE, 1),
            CUPTI_SUCCESS);
  EXPECT_EQ(enabled, 1);
  size_t count = 0;
  CUpti_DomainTable domains = nullptr;
  EXPECT_EQ(cuptiSupportedDomains(&count, &domains), CUPTI_SUCCESS);
  EXPECT_EQ(count, 6);
}

TEST_F(CuptiResourceTest, ASubscriberEndsOnce) {
  EXPECT_EQ(cuptiUnsubscribe(subscriber_), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiUnsubscribe(subscriber_), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE),
            CUPTI_ERROR_INVALID_PARAMETER);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
