// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/frame_name.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace dltap::analyzer {
namespace {

constexpr std::string_view kPackages = ".../site-packages/";
constexpr std::string_view kOwnLibrary = ".../lib/python3.x/";

// How the paths of packages begin. Not those of names that programs give their
// own folders.
constexpr std::string_view kKnownPackages[] = {
    "torch/",
    "PIL/",
    "accelerate/",
    "albumentations/",
    "cv2/",
    "datasets/arrow_dataset.py",
    "datasets/iterable_dataset.py",
    "deepspeed/",
    "diffusers/",
    "fastai/",
    "ffcv/",
    "gymnasium/",
    "huggingface_hub/",
    "ignite/",
    "joblib/",
    "jax/",
    "keras/",
    "lightning/",
    "lightning_fabric/",
    "litdata/",
    "loguru/",
    "matplotlib/",
    "megatron/",
    "mlflow/",
    "mmengine/",
    "monai/",
    "numpy/",
    "nvidia/dali/",
    "pandas/",
    "peft/",
    "petastorm/",
    "poutyne/",
    "pytorch_lightning/",
    "safetensors/",
    "scipy/",
    "skorch/",
    "sklearn/",
    "stable_baselines3/",
    "streaming/base/",
    "tensorboard/",
    "tensorboardX/",
    "timm/",
    "torch_geometric/",
    "torchaudio/",
    "torchdata/",
    "torcheval/",
    "torchmetrics/",
    "torchvision/",
    "tqdm/",
    "transformers/",
    "triton/",
    "trl/",
    "vllm/",
    "wandb/",
    "webdataset/",
    "xformers/",
};

// Of Python's own library, what calls what a program waits for. A program's
// file of such a name would hide it.
constexpr std::string_view kOfPython[] = {
    "_collections_abc.py",
    "_weakrefset.py",
    "abc.py",
    "asyncio/",
    "bdb.py",
    "codecs.py",
    "collections/",
    "concurrent/",
    "contextlib.py",
    "copy.py",
    "csv.py",
    "ctypes/",
    "dataclasses.py",
    "email/",
    "encodings/",
    "enum.py",
    "functools.py",
    "gzip.py",
    "http/",
    "importlib/",
    "inspect.py",
    "json/",
    "linecache.py",
    "logging/",
    "multiprocessing/",
    "os.py",
    "pathlib.py",
    "pickle.py",
    "posixpath.py",
    "queue.py",
    "random.py",
    "re/",
    "re.py",
    "runpy.py",
    "selectors.py",
    "shutil.py",
    "socket.py",
    "socketserver.py",
    "sqlite3/",
    "ssl.py",
    "subprocess.py",
    "tarfile.py",
    "tempfile.py",
    "threading.py",
    "traceback.py",
    "types.py",
    "typing.py",
    "urllib/",
    "warnings.py",
    "weakref.py",
    "xml/",
    "zipfile.py",
    "zipfile/",
};

template <size_t kCount>
bool BeginsWithOne(std::string_view file,
                   const std::string_view (&begins)[kCount]) {
  return std::any_of(
      std::begin(begins), std::end(begins),
      [file](std::string_view begin) { return file.starts_with(begin); });
}

}  // namespace

std::string InstalledPlace(std::string_view file) {
  std::string place;
  if (BeginsWithOne(file, kKnownPackages)) place = kPackages;
  if (BeginsWithOne(file, kOfPython)) place = kOwnLibrary;
  return place.append(file);
}

std::optional<SiteFrame> FrameOfName(std::string_view name) {
  constexpr std::string_view kModule = "nn.Module: ";
  SiteFrame frame;
  if (name.starts_with(kModule)) {
    name.remove_prefix(kModule.size());
    frame.detail = std::string(name.substr(0, name.rfind('_')));
    frame.place = "torch/nn/modules/module.py";
    return frame;
  }
  const size_t close = name.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const size_t open = name.rfind('(', close);
  if (open == std::string_view::npos) return std::nullopt;
  const char* last = name.data() + close;
  const auto number = std::from_chars(name.data() + open + 1, last, frame.line);
  if (number.ec != std::errc() || number.ptr != last) return std::nullopt;
  frame.place = std::string(name.substr(0, open));
  frame.function = std::string(name.substr(close + 3));
  return frame;
}

}  // namespace dltap::analyzer
