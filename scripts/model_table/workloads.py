# SPDX-License-Identifier: Apache-2.0
"""The workloads of the table of models, and the GPUs that it has."""

import dataclasses

# As `dltap run --gpu sim:NAME` calls them; the first is what others are
# compared with.
GPUS = ("quadro-p4000", "titan-xp", "v100-sxm", "t4", "a100-40-sxm",
        "h100-sxm")


TORCHVISION, MXNET = "torchvision", "mxnet"


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    kind: str  # of the layers that most of its work is in
    script: tuple[str, ...]  # in tests/workloads/python
    batch: int  # of the table; 0: it has none
    sweep: tuple[int, ...] = ()  # other batches, on the first GPU
    unit: str = "samples"
    steps: int = 6
    per_sample: float = 1  # units in a sample
    source: str = ""
    needs: str = ""  # Python package besides torch, or in its place

    def arguments(self, batch: int) -> list[str]:
        if self.needs == MXNET:
            return [*self.script, str(self.steps)]
        sized = ["--batch", str(batch)] if batch else []
        return [*self.script, "--steps", str(self.steps), *sized]


def _convnet(name: str, title: str, batch: int, source: str,
             sweep: tuple[int, ...] = ()) -> Workload:
    return Workload(title, "CNN", ("train_convnet.py", "--model", name), batch,
                    sweep, "images", source=source)


WORKLOADS = (
    Workload("ResNet-50", "CNN", ("train_resnet.py",), 32, (4, 8, 16, 64),
             "images", source="He et al. 2016"),
    _convnet("inception_v3", "Inception v3", 32, "Szegedy et al. 2015",
             (4, 8, 16)),
    _convnet("alexnet", "AlexNet", 128, "Krizhevsky 2014"),
    _convnet("googlenet", "GoogLeNet", 64, "Szegedy et al. 2014"),
    _convnet("vgg16", "VGG-16", 32, "Simonyan and Zisserman 2014"),
    Workload("Faster R-CNN", "CNN", ("train_faster_rcnn.py",), 1,
             unit="images", source="Ren et al. 2015; torchvision's",
             needs=TORCHVISION),
    Workload("DCGAN", "CNN", ("train_dcgan.py",), 64, unit="images",
             source="Radford et al. 2016"),
    Workload("WGAN", "CNN", ("train_wgan.py",), 64, unit="images",
             source="Arjovsky et al. 2017", per_sample=6),
    Workload("NMT", "RNN", ("train_nmt.py",), 64, (4, 16, 128, 256),
             "sentences", source="Luong et al. 2015"),
    Workload("GNMT", "RNN", ("train_gnmt.py", "--fixed"), 32, (4, 8, 16, 64),
             "sentences", source="Wu et al. 2016"),
    Workload("NMT in MXNet", "RNN",
             ("../../integration/frameworks/mxnet/training.py", "translator"),
             64, unit="sentences", source="after Sockeye, Hieber et al. 2017",
             needs=MXNET),
    Workload("Deep Speech 2", "RNN", ("train_deep_speech.py", "--fixed"), 8,
             (2, 4, 16), "s of audio", per_sample=10,
             source="Amodei et al. 2015"),
    Workload("LSTM language model", "RNN", ("train_lstm_lm.py",), 20,
             unit="sequences", source="Zaremba et al. 2014, medium"),
    Workload("Transformer", "attention", ("train_translation.py",), 64,
             (4, 16, 32), "sentences", source="Vaswani et al. 2017, base"),
    Workload("A3C, 4 processes", "reinforcement",
             ("train_a3c_workers.py", "--kind", "processes"), 0,
             unit="updates", source="Mnih et al. 2016"),
    Workload("A3C, 4 threads", "reinforcement",
             ("train_a3c_workers.py", "--kind", "threads"), 0, unit="updates",
             source="Mnih et al. 2016"),
)
