// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/frame_roles.h"

#include <string_view>

namespace dltap::analyzer {
namespace {

struct Rule {
  std::string_view place;     // begins the file's path; see InLibrary
  std::string_view function;  // begins the qualified name; empty: any
  FrameRole role;
  bool in_loaders = false;  // loaders call it, too
};

constexpr Rule kRules[] = {
    {"torch/utils/data/dataloader.py", "", FrameRole::kLoader},
    {"torch/utils/data/_utils/", "", FrameRole::kLoader},
    {"torch_geometric/loader/", "", FrameRole::kLoader},
    {"torchdata/", "", FrameRole::kLoader},
    {"webdataset/", "", FrameRole::kLoader},
    {"nvidia/dali/", "", FrameRole::kLoader},
    {"grain/", "", FrameRole::kLoader},
    {"ffcv/loader/", "", FrameRole::kLoader},
    {"streaming/base/", "", FrameRole::kLoader},
    {"litdata/", "", FrameRole::kLoader},
    {"petastorm/", "", FrameRole::kLoader},
    {"monai/data/", "", FrameRole::kLoader},
    {"fastai/data/load.py", "", FrameRole::kLoader},
    {"datasets/arrow_dataset.py", "", FrameRole::kLoader},
    {"datasets/iterable_dataset.py", "", FrameRole::kLoader},
    {"tensorflow_datasets/", "", FrameRole::kLoader},
    {"tensorflow/python/data/ops/iterator_ops.py", "", FrameRole::kLoader},
    {"keras/src/trainers/data_adapters/", "", FrameRole::kLoader},
    {"mxnet/gluon/data/", "", FrameRole::kLoader},
    {"mxnet/io/", "", FrameRole::kLoader},

    // The model and its update make no batch, also where they copy to the GPU.
    // (Transforms of a batch are modules.)
    {"torch/nn/modules/module.py", "", FrameRole::kAside, true},
    {"torch/autograd/function.py", "", FrameRole::kAside, true},
    {"torch/optim/", "", FrameRole::kAside},
    {"deepspeed/ops/", "", FrameRole::kAside},

    // Callbacks out of compiled code.
    {"jax/_src/callback.py", "", FrameRole::kAside},
    {"tensorflow/python/ops/script_ops.py", "", FrameRole::kAside},

    {"sklearn/metrics/", "", FrameRole::kAside},
    {"torchmetrics/", "", FrameRole::kAside},
    {"torcheval/", "", FrameRole::kAside},
    {"ignite/metrics/", "", FrameRole::kAside},
    {"evaluate/", "", FrameRole::kAside},

    {"logging/", "", FrameRole::kAside, true},
    {"loguru/", "", FrameRole::kAside, true},
    {"ignite/engine/engine.py", "Engine._fire_event", FrameRole::kAside},
    {"ignite/handlers/", "", FrameRole::kAside},
    {"composer/core/engine.py", "Engine.run_event", FrameRole::kAside},
    {"mmengine/hooks/", "", FrameRole::kAside},
    {"mmengine/logging/", "", FrameRole::kAside},
    {"poutyne/framework/callbacks/", "", FrameRole::kAside},
    {"fastai/callback/", "", FrameRole::kAside},
    {"keras/src/callbacks/", "", FrameRole::kAside},
    {"lightning/pytorch/callbacks/", "", FrameRole::kAside},
    {"pytorch_lightning/callbacks/", "", FrameRole::kAside},
    {"lightning/pytorch/loggers/", "", FrameRole::kAside},
    {"pytorch_lightning/loggers/", "", FrameRole::kAside},
    {"lightning/pytorch/trainer/call.py", "_call_callback", FrameRole::kAside},
    {"pytorch_lightning/trainer/call.py", "_call_callback", FrameRole::kAside},
    {"transformers/trainer_callback.py", "", FrameRole::kAside},
    {"transformers/integrations/integration_utils.py", "", FrameRole::kAside},
    {"stable_baselines3/common/callbacks.py", "", FrameRole::kAside},
    {"stable_baselines3/common/logger.py", "", FrameRole::kAside},
    {"skorch/callbacks/", "", FrameRole::kAside},
    {"torch/serialization.py", "", FrameRole::kAside},
    {"torch/distributed/checkpoint/", "", FrameRole::kAside},
    {"torch/utils/tensorboard/", "", FrameRole::kAside},
    {"safetensors/", "", FrameRole::kAside},
    {"orbax/checkpoint/", "", FrameRole::kAside},
    {"flax/training/checkpoints.py", "", FrameRole::kAside},
    {"tensorboard/", "", FrameRole::kAside},
    {"tensorboardX/", "", FrameRole::kAside},
    {"wandb/", "", FrameRole::kAside},
    {"mlflow/", "", FrameRole::kAside},
    {"tqdm/", "", FrameRole::kAside},
};

// Its path in an installed package, else in Python's own library.
std::string_view InLibrary(std::string_view place) {
  constexpr std::string_view kOwn = "/lib/python3.";
  if (const std::string_view in = InPackage(place); !in.empty()) return in;
  const size_t at = place.rfind(kOwn);
  if (at == std::string_view::npos) return "";
  const size_t folder = place.find('/', at + kOwn.size());
  return folder == std::string_view::npos ? "" : place.substr(folder + 1);
}

// Kineto gives a method's name without its class.
bool BeginsWith(std::string_view function, std::string_view rule) {
  if (function.starts_with(rule)) return true;
  const size_t dot = rule.rfind('.');
  return dot != std::string_view::npos &&
         function.find('.') == std::string_view::npos &&
         function.starts_with(rule.substr(dot + 1));
}

// nullptr: nothing is known of it.
const Rule* RuleOf(const SiteFrame& frame) {
  const std::string_view place = InLibrary(frame.place);
  if (place.empty()) return nullptr;
  for (const Rule& rule : kRules) {
    if (place.starts_with(rule.place) &&
        BeginsWith(frame.function, rule.function)) {
      return &rule;
    }
  }
  return nullptr;
}

}  // namespace

std::string_view InPackage(std::string_view place) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = place.rfind(folder);
    if (at != std::string_view::npos) return place.substr(at + folder.size());
  }
  return "";
}

FrameRole RoleOf(const LaunchSite& site) {
  if (site.kind != SiteKind::kPython) return FrameRole::kNone;
  const Rule* innermost = nullptr;
  for (const SiteFrame& frame : site.frames) {
    const Rule* rule = RuleOf(frame);
    if (rule == nullptr) continue;
    if (innermost == nullptr) innermost = rule;
    if (!innermost->in_loaders) return innermost->role;
    if (rule->role == FrameRole::kLoader) return FrameRole::kLoader;
  }
  return innermost != nullptr ? innermost->role : FrameRole::kNone;
}

}  // namespace dltap::analyzer
