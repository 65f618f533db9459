# SPDX-License-Identifier: Apache-2.0
"""The words that specs may use. Classes, directions: design; roles.h: kinds."""

# Order is that of enum Library in shim/specs/roles.h (values from 1).
LIBRARIES = (
    "cuda", "cudart", "cublas", "cublaslt", "cudnn", "nccl", "cupti", "nvtx",
    "nvml", "nvrtc", "cusolver", "cusparse", "cusparselt", "cufft", "curand",
    "cufile", "nvshmem")

ROLES = ("record", "count", "state", "not")

CLASSES = (
    "conv", "rnn", "attention", "gemm", "norm", "pool", "activation",
    "softmax", "loss", "embedding", "elementwise", "reduction", "dropout",
    "optimizer", "moe", "layout", "comm", "copy_h2d", "copy_d2h", "copy_d2d",
    "copy_p2p", "memset", "other", "unattributed")

DIRECTIONS = ("forward", "backward_data", "backward_weight", "backward",
              "recompute", "update", "none")

KINDS = (
    "other", "launch", "graph_launch", "memcpy", "memset", "malloc", "free",
    "host_malloc", "host_free", "sync", "event_record", "event_wait",
    "stream_create", "stream_destroy", "host_function", "capture_begin",
    "capture_end", "graph_instantiate", "graph_edit", "handle_create",
    "module_load", "collective", "point_to_point", "group", "gemm", "conv",
    "rnn", "attention", "norm", "pool", "softmax", "activation", "dropout",
    "pointwise", "reduction", "solve", "cudnn_execute", "marker",
    "event_elapsed", "prefetch")

# A first successful call of these starts the tap's session.
WORK_KINDS = frozenset(KINDS) - {
    "other", "free", "host_free", "sync", "stream_destroy", "group", "marker",
    "event_elapsed", "graph_edit", "capture_end"}

COPY_KINDS = ("", "h2d", "d2h", "d2d", "p2p", "h2h")

# Order is that of the bits of shim/specs/roles.h.
ROUTES = ("symbol", "dlsym", "get_proc_address", "driver_entry_point",
          "injection")
DEFAULT_ROUTES = ("symbol", "dlsym")

# opmodel::Dim in snake_case, and what a collective needs.
_DIMS = (
    "batch", "m", "n", "k", "channels_in", "channels_out", "depth_in",
    "height_in", "width_in", "filter_depth", "filter_height", "filter_width",
    "depth_out", "height_out", "width_out", "groups", "seq", "input", "hidden",
    "proj", "layers", "directions", "heads", "kv_heads", "seq_q", "seq_kv",
    "head_dim", "head_dim_v", "causal", "elements_in", "elements_out", "rows",
    "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
    "shared_bytes", "peer", "root", "op", "pitch")

_TENSORS = (
    "a", "b", "c", "d", "x", "w", "y", "z", "dx", "dw", "dy", "dz", "bias",
    "dbias", "dst", "src", "send", "receive", "scale", "mean", "variance",
    "workspace", "reserve", "function", "hx", "hy", "cx", "cy", "dhx", "dhy",
    "dcx", "dcy", "memory", "object", "name", "mask", "states",
    "x_desc", "w_desc", "y_desc", "dx_desc", "dw_desc", "dy_desc", "z_desc",
    "a_desc", "b_desc", "c_desc", "d_desc", "operation_desc", "bias_desc",
    "algo", "plan", "variant_pack")

MEANINGS = {
    "dims": _DIMS,
    "dtype": ("a", "b", "c", "d", "x", "w", "y", "compute", "scale", "all"),
    "transposed": ("a", "b"),
    "pointers": _TENSORS,
}

LIBRARY_KEYS = (
    "headers", "units", "defines", "symbols", "soname", "soname_prefix",
    "versioned", "node", "host_outputs", "names",
    "handle", "stream", "omit", "hooks_header", "wrapper_files",
    "routes", "parts", "variables", "not_supported")

ENTRY_KEYS = (
    "role", "reason", "class", "direction", "kind", "handle", "stream",
    "event", "dims", "dtype", "transposed", "pointers", "bytes", "copy_kind",
    "blocking", "autotune", "work", "deref", "out", "omit", "handles", "hook",
    "hook_args", "packed", "routes", "export", "simulated")

# Fields that a hook's Pack() fills, by the word for their type in specs.
PACKED_TYPES = {"u32": ("uint", 4), "u64": ("uint", 8), "i32": ("int", 4)}

# cuBLAS names carry the element type: cublasSgemm_v2, cublasIsamax_v2.
LETTER_TYPES = {"S": "f32", "D": "f64", "C": "c64", "Z": "c128", "H": "f16",
                "T": "bf16"}
