# SPDX-License-Identifier: Apache-2.0
"""twins.py NET [STEPS]: the nets of training.py in PyTorch, layer by layer."""

import sys

import torch
from torch import nn
from torch.nn import functional as F

GPU = "cuda"
CLASSES, BATCH = 10, 64
WORDS, WIDTH, LENGTH = 4000, 256, 24
LETTERS, FRAMES, BANDS = 29, 96, 80


def cnn():
    layers, before = [], 3
    for channels in (32, 64):
        layers += [nn.Conv2d(before, channels, 3, padding=1),
                   nn.BatchNorm2d(channels), nn.ReLU(), nn.MaxPool2d(2)]
        before = channels
    return nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.3),
                         nn.Linear(64 * 8 * 8, 128), nn.ReLU(),
                         nn.Linear(128, CLASSES))


class Bottleneck(nn.Module):
    """Gluon's: the first convolution has the stride, 1 x 1 ones have biases."""

    def __init__(self, before, channels, stride):
        super().__init__()
        inner = channels // 4
        self.body = nn.Sequential(
            nn.Conv2d(before, inner, 1, stride), nn.BatchNorm2d(inner),
            nn.ReLU(), nn.Conv2d(inner, inner, 3, 1, 1, bias=False),
            nn.BatchNorm2d(inner), nn.ReLU(), nn.Conv2d(inner, channels, 1),
            nn.BatchNorm2d(channels))
        self.other = nn.Identity() if before == channels else nn.Sequential(
            nn.Conv2d(before, channels, 1, stride, bias=False),
            nn.BatchNorm2d(channels))

    def forward(self, x):
        return F.relu(self.body(x) + self.other(x))


def resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64),
              nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for index, count in enumerate((3, 4, 6, 3)):
        channels = 256 << index
        for block in range(count):
            stride = 2 if block == 0 and index > 0 else 1
            layers.append(Bottleneck(before, channels, stride))
            before = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(2048, 1000))


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.rnn = nn.LSTM(WIDTH, WIDTH, 2, dropout=0.2)
        self.out = nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        return self.out(self.rnn(self.embedding(words))[0])


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.source = nn.Embedding(WORDS, WIDTH)
        self.target = nn.Embedding(WORDS, WIDTH)
        self.encoder = nn.LSTM(WIDTH, WIDTH // 2, 1, bidirectional=True)
        self.from_input = nn.Linear(2 * WIDTH, 4 * WIDTH)
        self.from_state = nn.Linear(WIDTH, 4 * WIDTH)
        self.combine = nn.Linear(2 * WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WORDS)

    def cell(self, seen, state):
        """Gluon's, which is not one kernel as PyTorch's LSTMCell."""
        hidden, memory = state
        gates = self.from_input(seen) + self.from_state(hidden)
        enter, forget, change, leave = gates.chunk(4, 1)
        memory = (torch.sigmoid(forget) * memory
                  + torch.sigmoid(enter) * torch.tanh(change))
        hidden = torch.sigmoid(leave) * torch.tanh(memory)
        return hidden, (hidden, memory)

    def forward(self, source, target):
        memory = self.encoder(self.source(source))[0].transpose(0, 1)
        memory = memory.contiguous()
        words = self.target(target).unbind()
        zeros = torch.zeros(BATCH, WIDTH, device=GPU)
        state, attended, states = (zeros, zeros), zeros, []
        for step in range(LENGTH):
            seen = torch.cat((words[step], attended), 1)
            hidden, state = self.cell(seen, state)
            scores = torch.bmm(memory, hidden.unsqueeze(2))
            weights = torch.softmax(scores, 1)
            context = torch.bmm(weights.transpose(1, 2), memory)
            attended = torch.tanh(self.combine(
                torch.cat((context.flatten(1), hidden), 1)))
            states.append(attended)
        return self.out(torch.stack(states))


class Speech(nn.Module):
    def __init__(self):
        super().__init__()
        layers, before = [], 1
        for kernel, stride, padding in (((41, 11), (2, 2), (20, 5)),
                                        ((21, 11), (2, 1), (10, 5))):
            layers += [nn.Conv2d(before, 32, kernel, stride, padding,
                                 bias=False), nn.BatchNorm2d(32), nn.ReLU()]
            before = 32
        self.convolutions = nn.Sequential(*layers)
        self.rnn = nn.GRU(32 * BANDS // 4, WIDTH, 3, bidirectional=True)
        self.out = nn.Linear(2 * WIDTH, LETTERS)

    def forward(self, sound):
        seen = self.convolutions(sound)
        frames = seen.permute(3, 0, 1, 2).flatten(2).contiguous()
        return self.out(self.rnn(frames)[0])


def of_images(net, size, batch):
    def loss():
        images = torch.zeros(batch, 3, size, size, device=GPU)
        labels = torch.zeros(batch, dtype=torch.int64, device=GPU)
        return F.cross_entropy(net(images), labels)
    return net, loss


def of_words(net, inputs):
    def loss():
        texts = [torch.zeros(LENGTH, BATCH, dtype=torch.int64, device=GPU)
                 for _ in range(inputs)]
        labels = torch.zeros(LENGTH * BATCH, dtype=torch.int64, device=GPU)
        return F.cross_entropy(net(*texts).flatten(0, 1), labels)
    return net, loss


def of_speech(net):
    def loss():
        sound = torch.zeros(16, 1, BANDS, FRAMES, device=GPU)
        letters = torch.ones(16, 20, dtype=torch.int32, device=GPU)
        log = F.log_softmax(net(sound), 2)
        return F.ctc_loss(log, letters, [log.shape[0]] * 16, [20] * 16)
    return net, loss


NETS = {
    "cnn": lambda: of_images(cnn(), 32, BATCH),
    "hybridized": lambda: of_images(cnn(), 32, BATCH),
    "resnet50": lambda: of_images(resnet50(), 224, 16),
    "lstm": lambda: of_words(LanguageModel(), 1),
    "translator": lambda: of_words(Translator(), 2),
    "speech": lambda: of_speech(Speech()),
}


def main():
    net, loss_of = NETS[sys.argv[1]]()
    net.to(GPU)
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 8):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
    print(sys.argv[1], "trained with torch", torch.__version__)


if __name__ == "__main__":
    main()
