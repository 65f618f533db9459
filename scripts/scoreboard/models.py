# SPDX-License-Identifier: Apache-2.0
"""The models of the scoreboard: by a row of the truth, what makes one step.

Each builder returns (model, inputs, targets, loss); `loss` takes what the model
gives and the targets. Weights are the initial ones, made on the device.
"""

import torch
import torch.nn.functional as F

# Names of timm before 0.9 whose models have another name or shape by default
# today: `gamma` models have kept theirs.
TIMM_RENAMED = {
    "vit_base_patch16_224_sam": "vit_base_patch16_224",
    "beit_base_patch16_224_in22k": "beit_base_patch16_224",
}


def image_batch(row):
    channels, height, width = (int(n) for n in row["shape"].split("x"))
    return torch.randn(int(row["batch"]), channels, height, width)


def class_targets(row, classes):
    return torch.zeros(int(row["batch"]), dtype=torch.int64) % classes


def is_old(row):
    """PyTorch 0 or 1; NGC's rows are of 2022."""
    return row["torch"].startswith(("0.", "1.", "NGC"))


def first_of(output):
    return output[0] if isinstance(output, tuple) else output


def class_loss(output, targets):
    return F.cross_entropy(first_of(output), targets)


def build_timm(row):
    import timm
    # Of PyTorch 2: fused attention; norms in half precision under autocast, as
    # the published batches show: group norms in FP32 do not fit at these.
    old = is_old(row)
    timm.layers.set_fused_attn(not old)
    timm.layers.set_fast_norm(row["mode"] == "infer")
    name = TIMM_RENAMED.get(row["model"], row["model"])
    model = timm.create_model(name)
    return model, (image_batch(row),), class_targets(row, 1000), class_loss


def build_torchvision(row):
    import torchvision
    model = getattr(torchvision.models, row["model"])()
    return model, (image_batch(row),), class_targets(row, 1000), class_loss


def build_cifar_resnet18(row):
    """kuangliu's ResNet-18 for CIFAR-10: no stem pooling, 3x3 stem."""
    import torchvision
    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = torch.nn.Conv2d(3, 64, 3, padding=1, bias=False)
    model.maxpool = torch.nn.Identity()
    return model, (image_batch(row),), class_targets(row, 10), class_loss


def build_bert(row):
    """BERT with the head for questions and answers, as SQuAD trains it."""
    import transformers
    sizes = {"bert_base_squad": (768, 12, 12), "bert_large_squad":
             (1024, 24, 16)}
    width, layers, heads = sizes[row["model"]]
    config = transformers.BertConfig(
        hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
        intermediate_size=4 * width,
        attn_implementation="eager" if is_old(row) else "sdpa")
    model = transformers.BertForQuestionAnswering(config)
    length = int(row["shape"].split()[-1])
    tokens = torch.zeros(int(row["batch"]), length, dtype=torch.int64)
    targets = torch.zeros(int(row["batch"]), dtype=torch.int64)

    def loss(output, targets):
        return (F.cross_entropy(output.start_logits, targets) +
                F.cross_entropy(output.end_logits, targets)) / 2
    return model, (tokens,), targets, loss


def stride_first(model):
    """ResNet v1: a block's first 1x1 product has the stride, not the 3x3."""
    for block in model.modules():
        if hasattr(block, "conv3"):
            block.conv1.stride, block.conv2.stride = (block.conv2.stride,
                                                      (1, 1))
    return model


def alexnet_of_tf_cnn():
    def stage(*shape, pool, **more):
        last = [torch.nn.MaxPool2d(3, 2)] if pool else []
        return [torch.nn.Conv2d(*shape, **more), torch.nn.ReLU(True), *last]
    return torch.nn.Sequential(
        *stage(3, 64, 11, stride=4, pool=True),
        *stage(64, 192, 5, padding=2, pool=True),
        *stage(192, 384, 3, padding=1, pool=False),
        *stage(384, 384, 3, padding=1, pool=False),
        *stage(384, 256, 3, padding=1, pool=True), torch.nn.Flatten(),
        torch.nn.Linear(9216, 4096), torch.nn.ReLU(True), torch.nn.Dropout(),
        torch.nn.Linear(4096, 4096), torch.nn.ReLU(True), torch.nn.Dropout(),
        torch.nn.Linear(4096, 1000))


def build_tf_cnn(row):
    """The nets of tf_cnn_benchmarks."""
    import timm
    import torchvision
    models = torchvision.models
    makers = {"resnet50_v1": lambda: stride_first(models.resnet50()),
              "resnet152_v1": lambda: stride_first(models.resnet152()),
              "inception4": lambda: timm.create_model("inception_v4"),
              "alexnet": alexnet_of_tf_cnn}
    model = makers[row["model"]]()
    return model, (image_batch(row),), class_targets(row, 1000), class_loss


class Block(torch.nn.Module):
    """A block of MPT: norms first, one product for q, k and v, no biases."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = (torch.nn.LayerNorm(width, bias=False)
                                    for _ in range(2))
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.up = torch.nn.Linear(width, 4 * width, bias=False)
        self.down = torch.nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm_1(x)).view(
            batch, length, 3, self.heads, width // self.heads).permute(
                2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class Mpt(torch.nn.Module):
    WORDS = 50368

    def __init__(self, width, layers, heads, length):
        super().__init__()
        self.words = torch.nn.Embedding(self.WORDS, width)
        self.places = torch.nn.Embedding(length, width)
        self.blocks = torch.nn.Sequential(*(Block(width, heads)
                                            for _ in range(layers)))
        self.norm = torch.nn.LayerNorm(width, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places.weight
        return F.linear(self.norm(self.blocks(x)), self.words.weight)


def build_mpt(row):
    """MPT, of the widths, layers and heads that its authors trained."""
    sizes = {"mpt_125m": (768, 12, 12), "mpt_350m": (1024, 24, 16),
             "mpt_760m": (1536, 24, 12), "mpt_1b": (2048, 24, 16)}
    batch, length = int(row["batch"]), int(row["shape"].split()[-1])
    model = Mpt(*sizes[row["model"]], length)
    tokens = torch.zeros(batch, length, dtype=torch.int64)

    def loss(output, targets):
        return F.cross_entropy(output.flatten(0, 1), targets.flatten())
    return model, (tokens,), tokens, loss


BUILDERS = {"timm": build_timm, "torchvision": build_torchvision,
            "cifar": build_cifar_resnet18, "bert": build_bert,
            "tf_cnn": build_tf_cnn, "mpt": build_mpt}
