// SPDX-License-Identifier: Apache-2.0
#include <curand.h>

#include <algorithm>

#include "simgpu/base/library_entry.h"
#include "simgpu/rest/computing_call.h"
#include "simgpu/rest/version_query.h"

namespace dltap::simgpu {
namespace {

// curand.h of CUDA 13.0.
constexpr LibraryVersion kVersion{10, 4, 0, CURAND_STATUS_OUT_OF_RANGE};

struct Generator {
  void* stream = nullptr;
  bool on_host = false;
};

Generator* AsGenerator(void* generator) {
  return static_cast<Generator*>(generator);
}

curandStatus_t Create(ApiFunction& function, curandGenerator_t* generator,
                      bool on_host) {
  return RunEntry<CURAND_STATUS_NOT_INITIALIZED>(function, [&] {
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    *generator =
        reinterpret_cast<curandGenerator_t>(new Generator{.on_host = on_host});
    return CURAND_STATUS_SUCCESS;
  });
}

constexpr double kStates = 4096 * 48;  // bytes: one a thread

double BytesPerNumber(std::string_view routine) {
  return routine.ends_with("Double") || routine == "LongLong" ? 8 : 4;
}

}  // namespace

int RunCurand(void* generator, const ComputingCall& call) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const Generator& known = *AsGenerator(generator);
  if (known.on_host) return CURAND_STATUS_SUCCESS;
  const bool seeds = call.routine == "Seeds";
  const double bytes =
      kStates +
      (seeds ? 0 : static_cast<double>(call.n) * BytesPerNumber(call.routine));
  const char* name =
      seeds ? "void generate_seed_pseudo<rng_config<curandStateXORWOW, 101> >"
              "(unsigned long long, unsigned long long, unsigned long long, "
              "curandOrdering, curandStateXORWOW*, unsigned int*)"
            : "void gen_sequenced<curandStateXORWOW, float, int, "
              "rng_config<curandStateXORWOW, 101> >(curandStateXORWOW*, "
              "float*, unsigned long, unsigned long, int)";
  return LaunchStreaming(known.stream, name, bytes) == Error::kSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_LAUNCH_FAILURE;
}

SIMGPU_API curandStatus_t curandCreateGenerator(curandGenerator_t* generator,
                                                curandRngType_t) {
  return Create(FunctionOf<"curand", "curandCreateGenerator">(), generator,
                false);
}

SIMGPU_API curandStatus_t
curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t) {
  return Create(FunctionOf<"curand", "curandCreateGeneratorHost">(), generator,
                true);
}

SIMGPU_API curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return RunEntry<CURAND_STATUS_NOT_INITIALIZED>(
      FunctionOf<"curand", "curandDestroyGenerator">(), [&] {
        delete AsGenerator(generator);
        return CURAND_STATUS_SUCCESS;
      });
}

SIMGPU_API curandStatus_t curandSetStream(curandGenerator_t generator,
                                          cudaStream_t stream) {
  return RunEntry<CURAND_STATUS_NOT_INITIALIZED>(
      FunctionOf<"curand", "curandSetStream">(), [&] {
        if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
        AsGenerator(generator)->stream = stream;
        return CURAND_STATUS_SUCCESS;
      });
}

SIMGPU_API curandStatus_t curandGetVersion(int* version) {
  return static_cast<curandStatus_t>(AnswerVersion(
      FunctionOf<"curand", "curandGetVersion">(), kVersion, version));
}

SIMGPU_API curandStatus_t curandGetProperty(libraryPropertyType type,
                                            int* value) {
  return static_cast<curandStatus_t>(AnswerProperty(
      FunctionOf<"curand", "curandGetProperty">(), kVersion, type, value));
}

}  // namespace dltap::simgpu
