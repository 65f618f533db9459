# SPDX-License-Identifier: Apache-2.0
"""training.py NET [STEPS]: trains NET for some steps with MXNet on a GPU.

twins.py has the same nets in PyTorch.
"""

import sys

import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn, rnn
from mxnet.gluon.model_zoo import vision

GPU = mx.gpu()
CLASSES, BATCH = 10, 64
WORDS, WIDTH, LENGTH = 4000, 256, 24
LETTERS, FRAMES, BANDS = 29, 96, 80


def cnn():
    net = nn.HybridSequential()
    for channels in (32, 64):
        net.add(nn.Conv2D(channels, 3, padding=1), nn.BatchNorm(),
                nn.Activation("relu"), nn.MaxPool2D())
    net.add(nn.Dropout(0.3), nn.Dense(128, activation="relu"),
            nn.Dense(CLASSES))
    return net


class LanguageModel(gluon.Block):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(WORDS, WIDTH)
            self.rnn = rnn.LSTM(WIDTH, 2, dropout=0.2)
            self.out = nn.Dense(WORDS, flatten=False)

    def forward(self, words):
        return self.out(self.rnn(self.embedding(words)))


class Translator(gluon.Block):
    """As Sockeye's RNN models: a bidirectional encoder, a decoder that runs
    step by step and attends to all that the encoder gave."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.source = nn.Embedding(WORDS, WIDTH)
            self.target = nn.Embedding(WORDS, WIDTH)
            self.encoder = rnn.LSTM(WIDTH // 2, 1, bidirectional=True)
            self.cell = rnn.LSTMCell(WIDTH, input_size=2 * WIDTH)
            self.combine = nn.Dense(WIDTH, activation="tanh")
            self.out = nn.Dense(WORDS, flatten=False)

    def forward(self, source, target):
        memory = self.encoder(self.source(source)).swapaxes(0, 1)
        words = mx.nd.split(self.target(target), LENGTH, axis=0,
                            squeeze_axis=True)
        state = self.cell.begin_state(batch_size=BATCH, ctx=GPU)
        attended, states = mx.nd.zeros((BATCH, WIDTH), ctx=GPU), []
        for step in range(LENGTH):
            seen = mx.nd.concat(words[step], attended, dim=1)
            hidden, state = self.cell(seen, state)
            scores = mx.nd.batch_dot(memory, hidden.expand_dims(2))
            weights = mx.nd.softmax(scores, axis=1)
            context = mx.nd.batch_dot(weights, memory, transpose_a=True)
            attended = self.combine(
                mx.nd.concat(context.reshape((0, -1)), hidden, dim=1))
            states.append(attended)
        return self.out(mx.nd.stack(*states))


class Speech(gluon.Block):
    """As Deep Speech 2: convolutions over a spectrogram, recurrent layers in
    both directions, a letter for each frame."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.convolutions = nn.Sequential()
            for kernel, stride, padding in (((41, 11), (2, 2), (20, 5)),
                                            ((21, 11), (2, 1), (10, 5))):
                self.convolutions.add(
                    nn.Conv2D(32, kernel, stride, padding, use_bias=False),
                    nn.BatchNorm(), nn.Activation("relu"))
            self.rnn = rnn.GRU(WIDTH, 3, bidirectional=True)
            self.out = nn.Dense(LETTERS, flatten=False)

    def forward(self, sound):
        seen = self.convolutions(sound)
        frames = seen.transpose((3, 0, 1, 2)).reshape((0, 0, -1))
        return self.out(self.rnn(frames))


def of_images(net, size, classes, batch):
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def step():
        images = mx.nd.zeros((batch, 3, size, size), ctx=GPU)
        labels = mx.nd.zeros((batch,), ctx=GPU)
        with autograd.record():
            found = loss(net(images), labels)
        return found, batch
    return net, step


def of_words(net, inputs):
    loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def step():
        texts = [mx.nd.zeros((LENGTH, BATCH), ctx=GPU) for _ in range(inputs)]
        labels = mx.nd.zeros((LENGTH * BATCH,), ctx=GPU)
        with autograd.record():
            found = loss(net(*texts).reshape((-1, WORDS)), labels)
        return found, BATCH
    return net, step


def of_speech(net):
    loss = gluon.loss.CTCLoss(layout="TNC")

    def step():
        sound = mx.nd.zeros((16, 1, BANDS, FRAMES), ctx=GPU)
        letters = mx.nd.ones((16, 20), ctx=GPU)
        with autograd.record():
            found = loss(net(sound), letters)
        return found, 16
    return net, step


def hybridized(net):
    net.hybridize(static_alloc=True, static_shape=True)
    return net


NETS = {
    "cnn": lambda: of_images(cnn(), 32, CLASSES, BATCH),
    "hybridized": lambda: of_images(hybridized(cnn()), 32, CLASSES, BATCH),
    "resnet50": lambda: of_images(hybridized(vision.resnet50_v1()), 224, 1000,
                                  16),
    "lstm": lambda: of_words(LanguageModel(), 1),
    "translator": lambda: of_words(Translator(), 2),
    "speech": lambda: of_speech(Speech()),
}


def main():
    net, step = NETS[sys.argv[1]]()
    net.initialize(mx.init.Xavier(), ctx=GPU)
    trainer = gluon.Trainer(net.collect_params(), "sgd",
                            {"learning_rate": 0.1, "momentum": 0.9})
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 8):
        loss, batch = step()
        loss.backward()
        trainer.step(batch)
        loss.mean().asscalar()
    mx.nd.waitall()
    print(sys.argv[1], "trained with mxnet", mx.__version__)


if __name__ == "__main__":
    main()
