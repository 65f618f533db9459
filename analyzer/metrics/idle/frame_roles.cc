// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/frame_roles.h"

#include <string_view>

namespace dltap::analyzer {
namespace {

struct Rule {
  std::string_view place;     // begins the file's path in its package
  std::string_view function;  // begins the qualified name; empty: any
  FrameRole role;
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

FrameRole RoleOf(const SiteFrame& frame) {
  const std::string_view place = InPackage(frame.place);
  if (place.empty()) return FrameRole::kNone;
  for (const Rule& rule : kRules) {
    if (place.starts_with(rule.place) &&
        frame.function.starts_with(rule.function)) {
      return rule.role;
    }
  }
  return FrameRole::kNone;
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
  for (const SiteFrame& frame : site.frames) {
    const FrameRole role = RoleOf(frame);
    if (role != FrameRole::kNone) return role;
  }
  return FrameRole::kNone;
}

}  // namespace dltap::analyzer
