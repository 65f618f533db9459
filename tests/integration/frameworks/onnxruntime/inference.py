# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's inference as programs have it; arguments: the ways to run it,
none: all of them."""

import sys
import threading

import checks
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

RUNS = 25
IMAGES = (8, 16, 32, 32)
SENTENCES = (20, 8, 64)  # time, batch, width
CLASSES = 10


class Graph:
    """Nodes in a row, each fed by the one before."""

    def __init__(self, shape):
        self.shape = shape
        self.nodes, self.weights = [], []
        self.last = "input"

    def constant(self, values) -> str:
        name = f"weight{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, *shape) -> str:
        return self.constant(np.full(shape, 0.05, np.float32))

    def add(self, kind, *more, **attributes):
        name = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *more], [name],
                                           **attributes))
        self.last = name

    def session(self, **options):
        of_floats = helper.make_tensor_value_info
        model = helper.make_model(
            helper.make_graph(
                self.nodes, "graph",
                [of_floats("input", TensorProto.FLOAT, self.shape)],
                [of_floats(self.last, TensorProto.FLOAT, None)], self.weights),
            ir_version=9, opset_imports=[helper.make_opsetid("", 17)])
        made = onnxruntime.InferenceSession(
            model.SerializeToString(),
            providers=[("CUDAExecutionProvider", options)])
        assert made.get_providers()[0] == "CUDAExecutionProvider"
        return made


def convolutions(**options):
    graph = Graph(IMAGES)
    for _ in range(8):
        graph.add("Conv", graph.weight(IMAGES[1], IMAGES[1], 3, 3),
                  pads=[1, 1, 1, 1])
        graph.add("Relu")
    graph.add("GlobalAveragePool")
    graph.add("Flatten")
    graph.add("Gemm", graph.weight(IMAGES[1], CLASSES))
    return graph.session(**options)


def cells():
    """Equal layers: no call is made once a run."""
    graph = Graph(SENTENCES)
    width = SENTENCES[2]
    for _ in range(2):
        graph.add("LSTM", graph.weight(1, 4 * width, width),
                  graph.weight(1, 4 * width, width), hidden_size=width)
        graph.add("Squeeze", graph.constant(np.array([1])))
    return graph.session()


def run(session):
    shape = session.get_inputs()[0].shape
    session.run(None, {"input": np.ones(shape, np.float32)})


def run_often(*sessions):
    for _ in range(RUNS):
        for session in sessions:
            run(session)


@checks.check
def images():
    run_often(convolutions())


@checks.check
def sentences():
    run_often(cells())


@checks.check
def one_after_the_other():
    """Two models answer each request."""
    run_often(convolutions(), cells())


@checks.check
def graph():
    """One CUDA graph, captured in the first run."""
    session = convolutions(enable_cuda_graph="1")
    binding = session.io_binding()
    made = onnxruntime.OrtValue
    binding.bind_ortvalue_input("input", made.ortvalue_from_numpy(
        np.ones(IMAGES, np.float32), "cuda", 0))
    binding.bind_ortvalue_output(
        session.get_outputs()[0].name,
        made.ortvalue_from_shape_and_type([IMAGES[0], CLASSES], np.float32,
                                          "cuda", 0))
    for _ in range(RUNS):
        session.run_with_iobinding(binding)


@checks.check
def threads():
    session = convolutions()
    all_threads = [threading.Thread(target=run_often, args=(session,))
                   for _ in range(4)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()


checks.run_all(names=sys.argv[1:])
