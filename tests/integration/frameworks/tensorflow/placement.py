# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's devices, and where a result lies: what cannot run on the GPU runs
on the CPU and says nothing."""

import os
import tempfile

# Keras writes its settings, in the home folder unless told otherwise.
os.environ["KERAS_HOME"] = tempfile.mkdtemp()

import tensorflow as tf  # noqa: E402

GPUS = tf.config.list_physical_devices("GPU")


def on_gpu(*tensors, index=0):
    for tensor in tensors:
        device = tf.convert_to_tensor(tensor).device
        assert device.endswith(f"GPU:{index}"), f"a result lies on {device}"


def variables_on_gpu(model):
    assert model.variables
    on_gpu(*(v.value for v in model.variables
             if v.value.dtype not in (tf.int32, tf.int64)))
