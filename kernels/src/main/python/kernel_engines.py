"""Functions that run kernels of narrow formats, of windows and of serving, as those of kernel_runs.py.

Products in MXFP8, MXFP4 and NVFP4 and weights of 4 bits are PyTorch's; windows are FlashAttention's or PyTorch's
compiled attention; decode attention over a cache of 8 bits, and of latent keys, is FlashInfer's. A library that is not
installed, or older than the format, is Unsupported.
"""

import importlib
import math

import torch

from kernel_runs import FP8, POOL, TYPES, Unsupported, _gradient, attention, compile_once, copies

GROUP = 128
PAGE = 64
LATENT, ROTATED = 512, 64
WORKSPACE_BYTES = 128 * 2 ** 20
NARROW = {"mxfp8": ("float8_e8m0fnu", 32), "mxfp4": ("float8_e8m0fnu", 32), "nvfp4": ("float8_e4m3fn", 16)}


def library(name):
    """A library that may be missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unsupported(f"{name} is not installed") from error


def number_type(name):
    """A number format of PyTorch that older versions lack."""
    kind = getattr(torch, name, None)
    if kind is None:
        raise Unsupported(f"PyTorch {torch.__version__} has no {name}")
    return kind


def scales(rows, columns, block, kind):
    """Scales of one, in matrix units' layout of 128 rows by 4 blocks."""
    count = 128 * math.ceil(rows / 128) * 4 * math.ceil(columns / block / 4)
    return torch.ones(count, device="cuda").to(kind)


def factor(precision, rows, columns):
    """Random numbers of a narrow format; two of 4 bits share a byte."""
    if precision == "mxfp8":
        return POOL.take(FP8, rows, columns)
    four_bits = number_type("float4_e2m1fn_x2")
    return torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, device="cuda").view(four_bits)


def narrow_gemm(precision, sizes, variant):
    """Products y = x W^T with a scale for each 32 or 16 numbers along the inner size."""
    if len(sizes) != 3 or sizes[2] % 32:
        raise Unsupported(f"{precision} takes m x n x k with k a multiple of 32")
    m, n, k = sizes
    name, block = NARROW[precision]
    kind = number_type(name)
    runs = []
    for _ in range(copies((m * k + n * k) // (1 if precision == "mxfp8" else 2))):
        a, b = factor(precision, m, k), factor(precision, n, k).t()
        left, right = scales(m, k, block, kind), scales(n, k, block, kind)
        runs.append(lambda a=a, b=b, left=left, right=right: torch._scaled_mm(
            a, b, left, right, out_dtype=torch.bfloat16))
    return runs


def int4_weights(precision, sizes, variant):
    """Products of 16 bits with weights of 4 bits, a scale and a zero for each 128 along the inner size."""
    m, n, k = sizes
    if n % 8 or k % GROUP:
        raise Unsupported("weights of 4 bits take n in multiples of 8 and k of 128")
    x = POOL.take(torch.bfloat16, m, k)
    scale = torch.ones(k // GROUP, n, 2, dtype=torch.bfloat16, device="cuda")
    runs = []
    for _ in range(copies(n * k // 2)):
        packed = torch.randint(0, 256, (n, k // 2), dtype=torch.uint8, device="cuda")
        weights = torch._convert_weight_to_int4pack(packed, 8)
        runs.append(lambda weights=weights: torch._weight_int4pack_mm(x, weights, GROUP, scale))
    return runs


def flash_window(queries, keys, seen):
    """FlashAttention as PyTorch has it, whose queries see the last keys: tokens before heads."""
    function = torch.ops.aten._flash_attention_forward

    def run(q, k, v):
        return function(q, k, v, None, None, queries, keys, 0.0, True, False, window_size_left=seen - 1,
                        window_size_right=0)[0]

    return run


def flex_window(queries, keys, seen):
    """The same of PyTorch, compiled for its mask: heads before tokens."""
    flex = library("torch.nn.attention.flex_attention")
    before = keys - queries

    def visible(batch, head, query, key):
        return (key <= query + before) & (key > query + before - seen)

    mask = flex.create_block_mask(visible, None, None, queries, keys, device="cuda")
    work = compile_once(flex.flex_attention)

    def run(q, k, v):
        heads = [part.transpose(1, 2) for part in (q, k, v)]
        return work(*heads, block_mask=mask, enable_gqa=q.shape[2] != k.shape[2])

    return run


WINDOWS = {"flash": flash_window, "flex": flex_window}


def window(backward):
    """A builder of causal attention with a window; the variant names whose it is."""

    def build(precision, sizes, variant):
        sequences, heads, key_heads, queries, keys, key_size, value_size, seen = sizes
        work = WINDOWS[variant if variant in WINDOWS else "flash"](queries, keys, seen)
        q = POOL.take(TYPES[precision], sequences, queries, heads, key_size).detach().requires_grad_(backward)
        k = POOL.take(TYPES[precision], sequences, keys, key_heads, key_size).detach().requires_grad_(backward)
        v = POOL.take(TYPES[precision], sequences, keys, key_heads, value_size).detach().requires_grad_(backward)
        if not backward:
            return [lambda: work(q, k, v)]
        return [_gradient(work(q, k, v), (q, k, v))]

    return build


def _pages(sequences, context):
    each = math.ceil(context / PAGE)
    first = torch.arange(sequences + 1, dtype=torch.int32, device="cuda") * each
    return each * sequences, first, torch.arange(each * sequences, dtype=torch.int32, device="cuda")


def _workspace():
    return torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")


def decode_cache8(precision, sizes, variant):
    """Attention of one new token of 16 bits over a cache of 8 bits in pages."""
    sequences, heads, key_heads, context, key_size, value_size = sizes
    if key_size != value_size:
        raise Unsupported("caches of 8 bits have keys and values of one size")
    flashinfer = library("flashinfer")
    count, first, pages = _pages(sequences, context)
    last = torch.full((sequences,), (context - 1) % PAGE + 1, dtype=torch.int32, device="cuda")
    runner = flashinfer.BatchDecodeWithPagedKVCacheWrapper(_workspace(), "NHD", use_tensor_cores=heads > key_heads)
    runner.plan(first, pages, last, heads, key_heads, key_size, PAGE, q_data_type=torch.bfloat16, kv_data_type=FP8)
    q = POOL.take(torch.bfloat16, sequences, heads, key_size)
    caches = [POOL.take(FP8, count, 2, PAGE, key_heads, key_size)
              for _ in range(copies(2 * count * PAGE * key_heads * key_size))]
    return [lambda cache=cache: runner.run(q, cache) for cache in caches]


def latent_decode(precision, sizes, variant):
    """Absorbed latent attention of one new token: 512 latent elements and 64 rotated ones for all heads."""
    sequences, heads, context = sizes
    if precision != "bf16":
        raise Unsupported("latent decode attention is measured in bf16 alone")
    mla = library("flashinfer.mla")
    count, first, pages = _pages(sequences, context)
    lengths = torch.full((sequences,), context, dtype=torch.int32, device="cuda")
    queries = torch.arange(sequences + 1, dtype=torch.int32, device="cuda")
    runner = mla.BatchMLAPagedAttentionWrapper(_workspace())
    runner.plan(queries, first, pages, lengths, heads, LATENT, ROTATED, PAGE, False, (128 + ROTATED) ** -0.5,
                torch.bfloat16, torch.bfloat16)
    q = POOL.take(torch.bfloat16, sequences, heads, LATENT)
    q_rotated = POOL.take(torch.bfloat16, sequences, heads, ROTATED)
    runs = []
    for _ in range(copies(2 * count * PAGE * (LATENT + ROTATED))):
        latent = POOL.take(torch.bfloat16, count, PAGE, LATENT)
        rotated = POOL.take(torch.bfloat16, count, PAGE, ROTATED)
        runs.append(lambda latent=latent, rotated=rotated: runner.run(q, q_rotated, latent, rotated))
    return runs


def latent_projection(precision, sizes, variant):
    """The product of each head of 128 with its 128 x 512 of the latent projection: tokens x heads."""
    tokens, heads = sizes
    kind = TYPES[precision]
    runs = []
    for _ in range(copies(2 * heads * 128 * LATENT)):
        x, weight = POOL.take(kind, heads, tokens, 128), POOL.take(kind, heads, 128, LATENT)
        runs.append(lambda x=x, weight=weight: torch.bmm(x, weight))
    return runs


def latent(backward):
    """A builder of latent attention over whole sequences: sequences x heads x length, heads of 192 and 128."""

    def build(precision, sizes, variant):
        sequences, heads, length = sizes
        return attention(True, backward)(precision, [sequences, heads, heads, length, length, 192, 128], variant)

    return build


BUILDERS = {
    "attention-window-forward": window(False), "attention-window-backward": window(True),
    "latent-prefill": latent(False), "latent-backward": latent(True), "latent-decode": latent_decode,
    "latent-projection": latent_projection,
}

# Builders of a kernel in one format, before those of all formats.
OF_FORMAT = {("gemm", precision): narrow_gemm for precision in NARROW}
OF_FORMAT[("linear", "int4-weights")] = int4_weights
OF_FORMAT[("attention-decode", "bf16-cache8")] = decode_cache8


def builder(kind, precision):
    """The builder of a kernel, or None where this file has none."""
    return OF_FORMAT.get((kind, precision)) or BUILDERS.get(kind)
