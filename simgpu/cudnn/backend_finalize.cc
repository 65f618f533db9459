// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "simgpu/cudnn/backend_descriptor.h"
#include "simgpu/cudnn/graph_decode.h"
#include "simgpu/cudnn/plan_json.h"

namespace dltap::simgpu {
namespace {

using opmodel::DType;
using opmodel::OpKind;

cudnnStatus_t FinalizeGraph(BackendBody& graph) {
  if (graph.Find(CUDNN_ATTR_OPERATIONGRAPH_OPS) == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const opmodel::GpuSpec& gpu = GpuOfStream(nullptr);
  graph.engines = EnginesOf(DecodeGraph(graph), gpu);
  AdaptToLayout(NchwBytes(graph), gpu, graph.engines);
  graph.Put<int64_t>(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
                     CUDNN_TYPE_INT64,
                     {static_cast<int64_t>(graph.engines.size())});
  return CUDNN_STATUS_SUCCESS;
}

bool UsesTensorCores(DType math) {
  return math != DType::kF32 && math != DType::kF64;
}

// TF32 is a note of tensor cores alone: DOWN_CONVERT_INPUTS means FP16, and
// PyTorch refuses it for FP32 data.
std::vector<int32_t> NotesOf(const Engine& engine) {
  std::vector<int32_t> notes;
  if (UsesTensorCores(engine.op.math)) {
    notes.push_back(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  }
  if (engine.name.starts_with("winograd")) {
    notes.push_back(CUDNN_NUMERICAL_NOTE_WINOGRAD);
  }
  if (engine.name == "winograd_4x4") {
    notes.push_back(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4);
  }
  if (engine.name.starts_with("fft")) {
    notes.push_back(CUDNN_NUMERICAL_NOTE_FFT);
  }
  return notes;
}

// The engine of the graph that an engine descriptor names; null: none.
const Engine* EngineOf(const BackendBody& descriptor) {
  const BodyPointer graph = descriptor.Body(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  const auto index =
      descriptor.Value<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, -1);
  if (graph == nullptr || index < 0 ||
      index >= static_cast<int64_t>(graph->engines.size())) {
    return nullptr;
  }
  return &graph->engines[static_cast<size_t>(index)];
}

cudnnStatus_t FinalizeEngine(BackendBody& descriptor) {
  const Engine* engine = EngineOf(descriptor);
  if (engine == nullptr) return CUDNN_STATUS_BAD_PARAM;
  descriptor.Put<int32_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                          CUDNN_TYPE_NUMERICAL_NOTE, NotesOf(*engine));
  std::vector<int32_t> behaviour;
  if (engine->op.kind == OpKind::kAttentionForward ||
      engine->op.kind == OpKind::kAttentionBackward) {
    behaviour.push_back(CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
  }
  descriptor.Put<int32_t>(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                          CUDNN_TYPE_BEHAVIOR_NOTE, behaviour);
  return CUDNN_STATUS_SUCCESS;
}

constexpr int32_t kSharedMemoryBytes = 64 << 10;

cudnnStatus_t FinalizeConfiguration(BackendBody& descriptor) {
  const BodyPointer engine = descriptor.Body(CUDNN_ATTR_ENGINECFG_ENGINE);
  if (engine == nullptr || EngineOf(*engine) == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  descriptor.Put<int64_t>(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                          {std::llround(EngineOf(*engine)->workspace_bytes)});
  descriptor.Put<int32_t>(CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED,
                          CUDNN_TYPE_INT32, {kSharedMemoryBytes});
  return CUDNN_STATUS_SUCCESS;
}

BodyPointer MakeConfiguration(const BodyPointer& graph, int64_t index) {
  auto engine = std::make_shared<BackendBody>(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->PutBodies(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {graph});
  engine->Put<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                       {index});
  engine->finalized = FinalizeEngine(*engine) == CUDNN_STATUS_SUCCESS;
  auto configuration =
      std::make_shared<BackendBody>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configuration->PutBodies(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
  configuration->finalized =
      FinalizeConfiguration(*configuration) == CUDNN_STATUS_SUCCESS;
  return configuration;
}

// Fastest first in mode A and B; the fallback mode lists the slowest alone.
cudnnStatus_t FinalizeHeuristics(BackendBody& heuristics) {
  const BodyPointer graph =
      heuristics.Body(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  if (graph == nullptr || !graph->finalized) {
    return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
  }
  const auto count = static_cast<int64_t>(graph->engines.size());
  const bool fallback =
      heuristics.Value<int32_t>(CUDNN_ATTR_ENGINEHEUR_MODE,
                                CUDNN_HEUR_MODE_A) == CUDNN_HEUR_MODE_FALLBACK;
  std::vector<BodyPointer> results;
  for (int64_t i = fallback ? count - 1 : 0; i < count; ++i) {
    results.push_back(MakeConfiguration(graph, i));
  }
  heuristics.PutBodies(CUDNN_ATTR_ENGINEHEUR_RESULTS, std::move(results));
  return CUDNN_STATUS_SUCCESS;
}

// What a plan tells and does is all in its saved form.
void PutPlan(BackendBody& body, SavedPlan plan) {
  body.Put<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
                    {plan.workspace_bytes});
  std::string json = ToJson(plan);
  json.push_back('\0');
  body.Put<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                 std::vector<char>(json.begin(), json.end()));
  body.kernels = std::move(plan.kernels);
}

// The configuration that a saved plan was made of, as far as clients ask.
BodyPointer ConfigurationOf(const SavedPlan& plan) {
  auto engine = std::make_shared<BackendBody>(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine->Put<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                       {plan.engine_index});
  engine->finalized = true;
  auto configuration =
      std::make_shared<BackendBody>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configuration->PutBodies(CUDNN_ATTR_ENGINECFG_ENGINE, {engine});
  configuration->finalized = true;
  return configuration;
}

// A plan that is made of its text, not of an engine configuration.
cudnnStatus_t FinalizeSavedPlan(BackendBody& body) {
  const auto text =
      body.Values<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  std::string_view json(text.data(), text.size());
  while (json.ends_with('\0')) json.remove_suffix(1);
  std::optional<SavedPlan> plan = PlanFromJson(json);
  if (!plan) return CUDNN_STATUS_BAD_PARAM;
  body.PutBodies(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                 {ConfigurationOf(*plan)});
  PutPlan(body, *std::move(plan));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t FinalizePlan(BackendBody& plan) {
  const BodyPointer configuration =
      plan.Body(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  if (configuration == nullptr) return FinalizeSavedPlan(plan);
  const BodyPointer descriptor =
      configuration->Body(CUDNN_ATTR_ENGINECFG_ENGINE);
  const Engine* engine =
      descriptor == nullptr ? nullptr : EngineOf(*descriptor);
  if (engine == nullptr) return CUDNN_STATUS_BAD_PARAM;
  PutPlan(plan,
          {descriptor->Value<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 0),
           std::string(engine->name), std::llround(engine->workspace_bytes),
           KernelsOf(*engine, GpuOfStream(nullptr))});
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t FinalizeBody(const BodyPointer& body) {
  switch (body->type) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return FinalizeGraph(*body);
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR: return FinalizeEngine(*body);
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      return FinalizeConfiguration(*body);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: return FinalizeHeuristics(*body);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return FinalizePlan(*body);
    default: return CUDNN_STATUS_SUCCESS;
  }
}

}  // namespace dltap::simgpu
