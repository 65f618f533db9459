# SPDX-License-Identifier: Apache-2.0
"""Convolutional networks as their papers have them, for 1000 classes.

Each takes images N x 3 x H x W (AlexNet, VGG, GoogLeNet 224, Inception 299)
and returns N x 1000 logits; those with auxiliary classifiers a list of logits,
the main one first.
"""
import torch
from torch import nn


class Flat(nn.Sequential):
    """Layers whose input is flattened first."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.flatten(1))


def conv(channels_in: int, channels: int, kernel, stride=1, padding=0):
    return [nn.Conv2d(channels_in, channels, kernel, stride, padding),
            nn.ReLU(inplace=True)]


def alexnet() -> nn.Module:
    """One column of Krizhevsky, 2014 (arXiv:1404.5997)."""
    return nn.Sequential(
        *conv(3, 64, 11, 4, 2), nn.MaxPool2d(3, 2),
        *conv(64, 192, 5, 1, 2), nn.MaxPool2d(3, 2),
        *conv(192, 384, 3, 1, 1), *conv(384, 256, 3, 1, 1),
        *conv(256, 256, 3, 1, 1), nn.MaxPool2d(3, 2),
        Flat(nn.Dropout(), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True),
             nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(inplace=True),
             nn.Linear(4096, 1000)))


def vgg16() -> nn.Module:
    """Configuration D of Simonyan and Zisserman, 2014 (arXiv:1409.1556)."""
    layers, channels_in = [], 3
    for channels, depth in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(depth):
            layers += conv(channels_in, channels, 3, 1, 1)
            channels_in = channels
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(
        *layers,
        Flat(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(inplace=True), nn.Dropout(),
             nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(),
             nn.Linear(4096, 1000)))


class Branches(nn.ModuleList):
    """Branches side by side; their channels are put together."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([branch(x) for branch in self], 1)


class WithAuxiliary(nn.Module):
    """A network with auxiliary classifiers behind some of its parts."""

    def __init__(self, parts: list, auxiliaries: list, head: nn.Module) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.auxiliaries = nn.ModuleList(auxiliaries)  # behind all but the last
        self.head = head

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        logits = []
        for part, auxiliary in zip(self.parts, self.auxiliaries):
            x = part(x)
            logits.append(auxiliary(x))
        return [self.head(self.parts[-1](x))] + logits


# Szegedy et al., 2014 (arXiv:1409.4842), table 1: channels of the 1 x 1
# branch, of the 3 x 3 and its reduction, of the 5 x 5 and its, of the pool's.
GOOGLENET = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}


def inception(name: str) -> nn.Module:
    c, one, reduce3, three, reduce5, five, pool = GOOGLENET[name]
    return Branches([
        nn.Sequential(*conv(c, one, 1)),
        nn.Sequential(*conv(c, reduce3, 1), *conv(reduce3, three, 3, 1, 1)),
        nn.Sequential(*conv(c, reduce5, 1), *conv(reduce5, five, 5, 1, 2)),
        nn.Sequential(nn.MaxPool2d(3, 1, 1), *conv(c, pool, 1))])


def googlenet() -> nn.Module:
    def auxiliary(channels: int) -> nn.Module:
        return nn.Sequential(
            nn.AdaptiveAvgPool2d(4), *conv(channels, 128, 1),
            Flat(nn.Linear(2048, 1024), nn.ReLU(inplace=True), nn.Dropout(0.7),
                 nn.Linear(1024, 1000)))

    def pool() -> nn.Module:
        return nn.MaxPool2d(3, 2, ceil_mode=True)

    stem = nn.Sequential(
        *conv(3, 64, 7, 2, 3), pool(), nn.LocalResponseNorm(5),
        *conv(64, 64, 1), *conv(64, 192, 3, 1, 1), nn.LocalResponseNorm(5),
        pool(), inception("3a"), inception("3b"), pool(), inception("4a"))
    middle = nn.Sequential(inception("4b"), inception("4c"), inception("4d"))
    last = nn.Sequential(inception("4e"), pool(), inception("5a"),
                         inception("5b"), nn.AdaptiveAvgPool2d(1))
    return WithAuxiliary([stem, middle, last], [auxiliary(512), auxiliary(528)],
                         Flat(nn.Dropout(0.4), nn.Linear(1024, 1000)))


def normed(channels_in: int, channels: int, kernel, stride=1, padding=0):
    return [nn.Conv2d(channels_in, channels, kernel, stride, padding,
                      bias=False),
            nn.BatchNorm2d(channels, eps=0.001), nn.ReLU(inplace=True)]


def same(channels_in: int, *layers) -> nn.Module:
    """Layers (channels, height, width of the kernel) that keep the size."""
    out = []
    for channels, height, width in layers:
        out += normed(channels_in, channels, (height, width), 1,
                      (height // 2, width // 2))
        channels_in = channels
    return nn.Sequential(*out)


class Fork(nn.Module):
    """A trunk that ends in a 1 x 3 and a 3 x 1 branch (figure 7)."""

    def __init__(self, channels_in: int, *trunk) -> None:
        super().__init__()
        self.trunk = same(channels_in, *trunk)
        self.ends = Branches([same(384, (384, 1, 3)), same(384, (384, 3, 1))])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.ends(self.trunk(x))


def inception_v3() -> nn.Module:
    """Szegedy et al., 2015 (arXiv:1512.00567)."""

    def pooled(c: int, channels: int) -> nn.Module:
        return nn.Sequential(nn.AvgPool2d(3, 1, 1), same(c, (channels, 1, 1)))

    def small(c: int, pool: int) -> nn.Module:  # figure 5
        return Branches([
            same(c, (64, 1, 1)), same(c, (48, 1, 1), (64, 5, 5)),
            same(c, (64, 1, 1), (96, 3, 3), (96, 3, 3)), pooled(c, pool)])

    def long(width: int) -> nn.Module:  # figure 6
        w = width
        return Branches([
            same(768, (192, 1, 1)),
            same(768, (w, 1, 1), (w, 1, 7), (192, 7, 1)),
            same(768, (w, 1, 1), (w, 7, 1), (w, 1, 7), (w, 7, 1), (192, 1, 7)),
            pooled(768, 192)])

    def wide(c: int) -> nn.Module:  # figure 7
        return Branches([
            same(c, (320, 1, 1)), Fork(c, (384, 1, 1)),
            Fork(c, (448, 1, 1), (384, 3, 3)), pooled(c, 192)])

    to_17 = Branches([
        nn.Sequential(*normed(288, 384, 3, 2)),
        nn.Sequential(same(288, (64, 1, 1), (96, 3, 3)),
                      *normed(96, 96, 3, 2)),
        nn.MaxPool2d(3, 2)])
    to_8 = Branches([
        nn.Sequential(same(768, (192, 1, 1)), *normed(192, 320, 3, 2)),
        nn.Sequential(same(768, (192, 1, 1), (192, 1, 7), (192, 7, 1)),
                      *normed(192, 192, 3, 2)),
        nn.MaxPool2d(3, 2)])
    stem = nn.Sequential(
        *normed(3, 32, 3, 2), *normed(32, 32, 3), *normed(32, 64, 3, 1, 1),
        nn.MaxPool2d(3, 2), *normed(64, 80, 1), *normed(80, 192, 3),
        nn.MaxPool2d(3, 2), small(192, 32), small(256, 64), small(288, 64),
        to_17, long(128), long(160), long(160), long(192))
    auxiliary = nn.Sequential(
        nn.AvgPool2d(5, 3), *normed(768, 128, 1), *normed(128, 768, 5),
        Flat(nn.Linear(768, 1000)))
    last = nn.Sequential(to_8, wide(1280), wide(2048), nn.AdaptiveAvgPool2d(1))
    return WithAuxiliary([stem, last], [auxiliary],
                         Flat(nn.Dropout(), nn.Linear(2048, 1000)))


# Constructor and size of the images.
NETS = {"alexnet": (alexnet, 224), "vgg16": (vgg16, 224),
        "googlenet": (googlenet, 224), "inception_v3": (inception_v3, 299)}
