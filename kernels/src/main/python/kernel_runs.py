"""Functions that run the kernels of measure_kernels.py with PyTorch.

A builder takes a kernel's precision, numbers and variant and gives a list of functions that each run the kernel once,
on operands of their own where more than one set fits: measured in turn, they do not find their operands in the cache.
Numbers are drawn from a normal distribution, as power and so the clock depend on the data.
"""

import math

import torch
import torch._functorch.config
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

# Backward passes run again and again over what one forward pass left.
torch._functorch.config.donated_buffer = False

CACHE_BYTES = 128 * 2 ** 20
MOST_COPIES = 8
POOL_ELEMENTS = 2 ** 29
FP8 = torch.float8_e4m3fn
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32, "tf32": torch.float32}


class Unsupported(Exception):
    """A kernel that PyTorch does not have here."""


class Pool:
    """Random numbers that all operands are cut from, so that drawing them takes no time."""

    def __init__(self):
        self.tensors = {}
        self.offset = 0

    def take(self, kind, *shape):
        """A tensor of random numbers, contiguous, that shares memory with others."""
        count = math.prod(shape)
        size = max(POOL_ELEMENTS, count)
        if kind not in self.tensors or self.tensors[kind].numel() < count:
            self.tensors.pop(kind, None)
            self.tensors[kind] = self.draw(kind, size)
        pool = self.tensors[kind]
        step = 256 * math.ceil(count / 256)
        if self.offset + count > pool.numel():
            self.offset = 0
        start = self.offset
        self.offset += step
        return pool[start:start + count].view(*shape)

    @staticmethod
    def draw(kind, size):
        """New random numbers."""
        if kind == torch.int8:
            return torch.randint(-127, 128, (size,), dtype=torch.int8, device="cuda")
        if kind in (FP8, torch.float32):
            numbers = torch.empty(size, dtype=kind, device="cuda")
            for start in range(0, size, 2 ** 26):
                part = numbers[start:start + 2 ** 26]
                part.copy_(torch.randn(part.numel(), device="cuda"))
            return numbers
        return torch.randn(size, dtype=kind, device="cuda")


POOL = Pool()


def copies(operand_bytes):
    """Sets of operands that are used in turn."""
    return max(1, min(MOST_COPIES, math.ceil(CACHE_BYTES / max(1, operand_bytes))))


def gemm(precision, sizes, variant):
    """Products y = x W^T, whose operands are contiguous along the inner size."""
    batch, (m, n, k) = sizes[:-3], sizes[-3:]
    width = {"tf32": 4, "fp32": 4, "bf16": 2, "fp16": 2}.get(precision, 1)
    count = copies(width * math.prod(batch or [1]) * (m * k + n * k))
    return [_product(precision, batch, m, n, k) for _ in range(count)]


def _product(precision, batch, m, n, k):
    if precision in TYPES:
        kind = TYPES[precision]
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        a = POOL.take(kind, *batch, m, k)
        b = POOL.take(kind, *batch, n, k).transpose(-1, -2)
        out = torch.empty(*batch, m, n, dtype=kind, device="cuda")
        return lambda: torch.matmul(a, b, out=out)
    if precision == "int8":
        a = POOL.take(torch.int8, m, k)
        b = POOL.take(torch.int8, n, k).t()
        return lambda: torch._int_mm(a, b)
    a = POOL.take(FP8, m, k)
    b = POOL.take(FP8, n, k).t()
    if precision == "fp8-tensor":
        one = torch.ones((), device="cuda")
        return lambda: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16, use_fast_accum=True)
    if precision == "fp8-row":
        rows, columns = torch.ones(m, 1, device="cuda"), torch.ones(1, n, device="cuda")
        return lambda: torch._scaled_mm(a, b, rows, columns, out_dtype=torch.bfloat16, use_fast_accum=True)
    if precision == "fp8-block":
        blocks = torch.ones(k // 128, m, device="cuda").t()
        # Rows of the weights' scales begin at multiples of 16 bytes.
        squares = torch.ones(n // 128, 4 * math.ceil(k / 512), device="cuda")[:, :k // 128].t()
        return lambda: torch._scaled_mm(a, b, blocks, squares, out_dtype=torch.bfloat16)
    raise Unsupported(precision)


def gemm_zeros(precision, sizes, variant):
    """A product of zeros, which takes less power."""
    m, n, k = sizes
    a = torch.zeros(m, k, dtype=TYPES[precision], device="cuda")
    b = torch.zeros(n, k, dtype=TYPES[precision], device="cuda").t()
    return [lambda: torch.matmul(a, b)]


BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def attention(causal, backward):
    """A builder of attention over whole sequences."""

    def build(precision, sizes, variant):
        sequences, heads, key_heads, queries, keys, key_size, value_size = sizes
        kind = TYPES[precision]
        backend = BACKENDS[variant if variant in BACKENDS else "cudnn"]

        def tensor(count, length, size):
            # Layout of Transformer Engine and Megatron-LM: heads of one token lie beside each other.
            part = POOL.take(kind, sequences, length, count, size).transpose(1, 2)
            return part.detach().requires_grad_(backward)

        q, k = tensor(heads, queries, key_size), tensor(key_heads, keys, key_size)
        v = tensor(key_heads, keys, value_size)
        groups = {"enable_gqa": True} if heads != key_heads else {}

        def forward():
            with sdpa_kernel(backend):
                return functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **groups)

        if not backward:
            return [forward]
        result = forward()
        return [_gradient(result, (q, k, v))]

    return build


def decode(precision, sizes, variant):
    """Attention of one new token of each sequence over its cache."""
    sequences, heads, key_heads, context, key_size, value_size = sizes
    kind = TYPES[precision]
    count = copies(2 * sequences * key_heads * context * (key_size + value_size))
    runs = []
    for _ in range(count):
        q = POOL.take(kind, sequences, heads, 1, key_size)
        k = POOL.take(kind, sequences, key_heads, context, key_size)
        v = POOL.take(kind, sequences, key_heads, context, value_size)
        groups = {"enable_gqa": True} if heads != key_heads else {}

        def run(q=q, k=k, v=v, groups=groups):
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                return functional.scaled_dot_product_attention(q, k, v, **groups)

        runs.append(run)
    return runs


def _gradient(result, inputs):
    gradient = torch.randn_like(result)
    return lambda: torch.autograd.grad(result, inputs, gradient, retain_graph=True)


def pointwise(function, inputs, backward, compiled):
    """A builder of a kernel over tokens' vectors: so many inputs, tokens x hidden, and their gradients."""

    def build(precision, sizes, variant):
        tokens, hidden = sizes[0], math.prod(sizes[1:])
        kind = TYPES[precision]
        work = compile_once(function) if variant == "compiled" else function
        count = copies(2 * inputs * tokens * hidden)
        runs = []
        for _ in range(count):
            tensors = [POOL.take(kind, tokens, hidden).detach().requires_grad_(backward) for _ in range(inputs)]
            if backward:
                runs.append(_gradient(work(*tensors), tensors))
            else:
                runs.append(lambda tensors=tensors: work(*tensors))
        return runs

    return build


COMPILED = {}


def compile_once(function):
    """A function that PyTorch compiled for all sizes; backward passes are compiled with it."""
    if function not in COMPILED:
        COMPILED[function] = torch.compile(function, dynamic=True)
    return COMPILED[function]


def swiglu(gate, up):
    """The gated activation, both halves given."""
    return functional.silu(gate) * up


def gelu(x):
    """The activation of GPT."""
    return functional.gelu(x, approximate="tanh")


def rms_norm(x):
    """Normalisation without weights, in 32 bits as in models."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)


def quantize_tensor(x):
    """Numbers of 8 bits with one scale, found first."""
    scale = 448.0 / x.abs().amax().float().clamp(min=1e-12)
    return (x.float() * scale).clamp(-448, 448).to(FP8), scale


def quantize_row(x):
    """Numbers of 8 bits with one scale a row."""
    scale = 448.0 / x.abs().amax(-1, keepdim=True).float().clamp(min=1e-12)
    return (x.float() * scale).clamp(-448, 448).to(FP8), scale


def quantize_block(x):
    """Numbers of 8 bits with one scale each 128 of a row."""
    blocks = x.view(x.shape[0], -1, 128)
    scale = 448.0 / blocks.abs().amax(-1, keepdim=True).float().clamp(min=1e-12)
    return (blocks.float() * scale).clamp(-448, 448).to(FP8), scale


def rotary(x):
    """Rotation of heads of queries and keys; angles are worked out in the kernel."""
    half = x.shape[-1] // 2
    first, second = x[..., :half].float(), x[..., half:].float()
    angle = torch.arange(x.shape[0], device=x.device, dtype=torch.float32)[:, None, None] * 1e-3
    sine, cosine = angle.sin(), angle.cos()
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1).to(x.dtype)


def rotary_builder(precision, sizes, variant):
    """Tokens x heads x size."""
    work = compile_once(rotary)
    tensors = [POOL.take(TYPES[precision], *sizes) for _ in range(copies(2 * math.prod(sizes)))]
    return [lambda x=x: work(x) for x in tensors]


def quantize(precision, sizes, variant):
    """Casts of 16 bits to 8 with their scales."""
    function = {"fp8-tensor": quantize_tensor, "fp8-row": quantize_row, "fp8-block": quantize_block}[precision]
    return pointwise(function, 1, False, True)("bf16", sizes, "compiled")


def norm(backward, root):
    """A builder of normalisation with weights, tokens x hidden."""

    def build(precision, sizes, variant):
        tokens, hidden = sizes
        if variant == "compiled":
            return pointwise(rms_norm, 1, backward, True)(precision, sizes, variant)
        kind = TYPES[precision]
        layer = (torch.nn.RMSNorm if root else torch.nn.LayerNorm)(hidden, dtype=kind, device="cuda")
        layer.requires_grad_(backward)
        runs = []
        for _ in range(copies(2 * tokens * hidden)):
            x = POOL.take(kind, tokens, hidden).detach().requires_grad_(backward)
            if backward:
                runs.append(_gradient(layer(x), (x, *layer.parameters())))
            else:
                runs.append(lambda x=x: layer(x))
        return runs

    return build


def move(kind):
    """A builder of kernels that move so many bytes: half read and half written, all read or all written."""

    def build(precision, sizes, variant):
        half = max(4, sizes[0] // (2 if kind == "memory" else 1)) // 4
        runs = []
        for _ in range(copies(sizes[0])):
            source = torch.zeros(half, dtype=torch.float32, device="cuda")
            if kind == "memory":
                target = torch.empty_like(source)
                runs.append(lambda source=source, target=target: target.copy_(source))
            elif kind == "memory-read":
                runs.append(lambda source=source: source.sum())
            else:
                runs.append(lambda source=source: source.fill_(1.0))
        return runs

    return build


def transpose(precision, sizes, variant):
    """A matrix written as its transpose."""
    source = POOL.take(TYPES[precision], *sizes)
    target = torch.empty(sizes[1], sizes[0], dtype=source.dtype, device="cuda")
    return [lambda: target.copy_(source.t())]


def permute(precision, sizes, variant):
    """Tokens copied to the places of their experts, tokens x hidden x experts of a token."""
    tokens, hidden, choices = sizes
    source = POOL.take(TYPES[precision], tokens, hidden)
    order = torch.randperm(tokens * choices, device="cuda") // choices
    return [lambda: source.index_select(0, order)]


def unpermute(precision, sizes, variant):
    """Weighted sums of what a token's experts gave."""
    tokens, hidden, choices = sizes
    rows = POOL.take(TYPES[precision], tokens * choices, hidden)
    order = torch.randperm(tokens * choices, device="cuda").view(tokens, choices)
    weights = torch.rand(tokens, choices, 1, device="cuda", dtype=rows.dtype)
    return [lambda: (rows[order] * weights).sum(1)]


def embedding(backward):
    """A builder of look-ups, tokens x hidden x vocabulary."""

    def build(precision, sizes, variant):
        tokens, hidden, vocabulary = sizes
        table = POOL.take(TYPES[precision], vocabulary, hidden).detach().requires_grad_(backward)
        ids = torch.randint(vocabulary, (tokens,), device="cuda")
        if backward:
            return [_gradient(functional.embedding(ids, table), table)]
        return [lambda: functional.embedding(ids, table)]

    return build


def cross_entropy(backward):
    """A builder of the loss of logits in 16 bits that is worked out in 32, tokens x vocabulary."""

    def build(precision, sizes, variant):
        tokens, vocabulary = sizes
        logits = POOL.take(TYPES[precision], tokens, vocabulary).detach().requires_grad_(backward)
        targets = torch.randint(vocabulary, (tokens,), device="cuda")

        def loss():
            return functional.cross_entropy(logits.float(), targets)

        if backward:
            value = loss()
            return [lambda: torch.autograd.grad(value, logits, retain_graph=True)]
        return [loss]

    return build


def adam(precision, sizes, variant):
    """A step of AdamW over so many parameters of 32 bits."""
    parameters = [torch.zeros(sizes[0], device="cuda", requires_grad=True)]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, fused=True, capturable=True)
    return [optimizer.step]


def loads(groups, rows, variant):
    """Rows of each group: equal, or by a power law as routers of experts leave them [AIConfigurator]."""
    if variant == "balanced":
        return [rows // groups + (1 if i < rows % groups else 0) for i in range(groups)]
    exponent = float(variant.rsplit("-", 1)[1])
    generator = torch.Generator().manual_seed(groups * 1000003 + rows)
    low, high = 1.0, 0.8 * max(2.0, rows)
    draws = torch.rand(groups, generator=generator).double()
    weights = ((high ** (1 - exponent) - low ** (1 - exponent)) * draws + low ** (1 - exponent)) ** (1 / (1 - exponent))
    counts = (weights / weights.sum() * rows).long()
    counts[counts.argmax()] += rows - counts.sum()
    return counts.tolist()


def grouped(gradient):
    """A builder of grouped products: groups x rows of all x n x k."""

    def build(precision, sizes, variant):
        groups, rows, n, k = sizes
        ends = torch.tensor(loads(groups, rows, variant), device="cuda").cumsum(0).to(torch.int32)
        runs = []
        for _ in range(copies((1 if precision.startswith("fp8") else 2) * groups * n * k)):
            if precision == "fp8-row":
                a, b = POOL.take(FP8, rows, k), POOL.take(FP8, groups, n, k).transpose(-1, -2)
                left, right = torch.ones(rows, device="cuda"), torch.ones(groups, n, device="cuda")
                runs.append(lambda a=a, b=b: torch._scaled_grouped_mm(
                    a, b, left, right, offs=ends, out_dtype=torch.bfloat16, use_fast_accum=True))
            elif gradient:
                # Gradients of weights: the rows of each group are the inner size.
                a, b = POOL.take(torch.bfloat16, rows, n).t(), POOL.take(torch.bfloat16, rows, k)
                runs.append(lambda a=a, b=b: torch._grouped_mm(a, b, offs=ends))
            else:
                a, b = POOL.take(torch.bfloat16, rows, k), POOL.take(torch.bfloat16, groups, n, k).transpose(-1, -2)
                runs.append(lambda a=a, b=b: torch._grouped_mm(a, b, offs=ends))
        return runs

    return build


def add(a, b):
    """The sum of a residual."""
    return a + b


def layer(precision, sizes, variant):
    """Forward and backward pass of one layer of LLaMA: tokens x hidden x feed-forward x heads x heads of keys."""
    tokens, hidden, wide, heads, key_heads = sizes
    kind = TYPES[precision]
    size = hidden // heads

    def weight(rows, columns):
        return (POOL.take(kind, rows, columns) * 0.02).requires_grad_(True)

    qkv = weight((heads + 2 * key_heads) * size, hidden)
    out, up, gate, down = weight(hidden, hidden), weight(wide, hidden), weight(wide, hidden), weight(hidden, wide)
    scale = torch.ones(hidden, dtype=kind, device="cuda", requires_grad=True)
    x = POOL.take(kind, 1, tokens, hidden).detach().requires_grad_(True)
    gradient = POOL.take(kind, 1, tokens, hidden)
    work = compile_once(swiglu)

    def run():
        h = functional.linear(functional.rms_norm(x, (hidden,), scale), qkv)
        q, k, v = h.split([heads * size, key_heads * size, key_heads * size], -1)
        q, k, v = (t.view(1, tokens, -1, size).transpose(1, 2) for t in (q, k, v))
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            a = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        y = x + functional.linear(a.transpose(1, 2).reshape(1, tokens, hidden), out)
        z = functional.rms_norm(y, (hidden,), scale)
        y = y + functional.linear(work(functional.linear(z, gate), functional.linear(z, up)), down)
        return torch.autograd.grad(y, (x, qkv, out, up, gate, down, scale), gradient)

    return [run]


BUILDERS = {
    "gemm": gemm, "gemm-zeros": gemm_zeros,
    "attention-forward": attention(True, False), "attention-backward": attention(True, True),
    "attention-full-forward": attention(False, False), "attention-full-backward": attention(False, True),
    "attention-decode": decode,
    "norm-forward": norm(False, False), "norm-backward": norm(True, False),
    "rms-norm-forward": norm(False, True), "rms-norm-backward": norm(True, True),
    "swiglu-forward": pointwise(swiglu, 2, False, True), "swiglu-backward": pointwise(swiglu, 2, True, True),
    "gelu-forward": pointwise(gelu, 1, False, False), "gelu-backward": pointwise(gelu, 1, True, False),
    "add": pointwise(add, 2, False, False), "rotary-forward": rotary_builder, "quantize": quantize,
    "memory": move("memory"), "memory-read": move("memory-read"), "memory-write": move("memory-write"),
    "transpose": transpose, "permute": permute, "unpermute": unpermute,
    "embedding-forward": embedding(False), "embedding-backward": embedding(True),
    "cross-entropy-forward": cross_entropy(False), "cross-entropy-backward": cross_entropy(True),
    "adam": adam, "grouped-gemm": grouped(False), "grouped-gemm-gradient": grouped(True), "layer": layer,
}
