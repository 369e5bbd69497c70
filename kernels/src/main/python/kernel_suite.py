"""The kernels that measure_kernels.py measures where no list names them.

A kernel is a tuple (kernel, precision, shape, variant), in the words of Heddle's kernel tables; docs/kernels.md says
what the numbers of a shape are. Each group is shuffled by a fixed seed, so that a run that is cut short holds a fair
sample of its group.
"""

import random

SEED = 20261122

# Rows of products: decode, the two sides of tiles, and batches of training.
ROWS = [1, 2, 4, 8, 16, 17, 32, 48, 64, 65, 96, 128, 129, 192, 256, 257, 384, 512, 640, 768, 1024, 1025, 1536, 2048,
        2049, 3072, 4096, 4097, 6144, 8192, 12288, 16384, 32768]

# Columns and inner sizes of the layers of published models, whole and cut by tensor parallelism.
SITES = [
    (768, 768), (2304, 768), (3072, 768), (768, 3072), (1024, 1024), (4096, 1024), (1024, 4096), (2048, 2048),
    (6144, 2048), (8192, 2048), (2048, 8192), (2560, 2560), (10240, 2560), (4096, 4096), (6144, 4096), (14336, 4096),
    (28672, 4096), (4096, 14336), (16384, 4096), (4096, 16384), (4096, 11008), (22016, 4096), (5120, 5120),
    (15360, 5120), (27648, 5120), (5120, 13824), (7168, 7168), (2112, 7168), (24576, 1536), (32768, 512), (4096, 7168),
    (7168, 2048), (7168, 16384), (36864, 7168), (7168, 18432), (8192, 8192), (10240, 8192), (28672, 8192),
    (57344, 8192), (8192, 28672), (1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584), (12288, 12288),
    (36864, 12288), (4608, 12288), (12288, 1536), (6144, 12288), (12288, 6144), (49152, 12288), (16384, 16384),
    (18432, 16384), (2304, 16384), (16384, 2048), (13312, 16384), (16384, 6656), (128256, 4096), (32000, 4096),
    (16032, 8192), (256, 4096), (4096, 256), (128, 8192), (8192, 128), (64, 2048), (2048, 64),
]

LARGEST_FLOPS = 2.5e13
LARGEST_BYTES = 1.5e10

GEMM_PRECISIONS = ["bf16", "fp8-tensor", "fp8-row", "fp16", "tf32", "int8", "fp8-block", "mxfp8", "mxfp4", "nvfp4"]
NARROW = ("mxfp8", "mxfp4", "nvfp4")


def _text(*sizes):
    return "x".join(str(size) for size in sizes)


def _fits(m, n, k):
    return 2.0 * m * n * k <= LARGEST_FLOPS and 2.0 * (m * k + k * n + 2 * m * n) <= LARGEST_BYTES


def _odd(generator, count):
    """Shapes that are spread evenly over logarithms; inner sizes are multiples of 16, as all kernels accept those."""
    shapes = []
    while len(shapes) < count:
        m = round(2 ** generator.uniform(0, 15))
        n = 8 * max(1, round(2 ** generator.uniform(3, 13)))
        k = 16 * max(1, round(2 ** generator.uniform(2, 10.5)))
        if _fits(m, n, k):
            shapes.append((m, n, k))
    return shapes


def gemm():
    """Products of matrices: every site and row in bf16, samples of them in other precisions."""
    generator = random.Random(SEED)
    grid = [(m, n, k) for n, k in SITES for m in ROWS if _fits(m, n, k)]
    odd = _odd(generator, 400)
    chosen = []
    for precision in GEMM_PRECISIONS:
        shapes = grid + odd if precision == "bf16" else generator.sample(grid, 700) + odd[:150]
        generator.shuffle(shapes)
        for m, n, k in shapes:
            if precision == "int8" and m <= 16:
                continue
            if precision == "fp8-block" and (n % 128 or k % 128):
                continue
            if precision in NARROW and (n % 32 or k % 32):
                continue
            if precision in ("tf32",) and 2.0 * m * n * k > LARGEST_FLOPS / 4:
                continue
            chosen.append(("gemm", precision, _text(m, n, k), "library"))
    chosen += [("linear", "int4-weights", _text(m, n, k), "library") for m, n, k in generator.sample(grid, 400)
               if n % 8 == 0 and k % 128 == 0]
    batched = [(b, s, s, d) for b in (16, 64, 256) for s in (128, 512, 1024, 2048) for d in (64, 128)]
    batched += [(b, s, d, s) for b, s, _, d in batched]
    chosen += [("gemm", "bf16", _text(*shape), "library") for shape in batched]
    return _interleaved(chosen, generator)


def _interleaved(kernels, generator):
    """Each precision in proportion, whenever a run is cut short."""
    positions = {}
    totals = {}
    for kernel in kernels:
        totals[kernel[:2]] = totals.get(kernel[:2], 0) + 1
    keyed = []
    for kernel in kernels:
        position = positions.get(kernel[:2], 0)
        positions[kernel[:2]] = position + 1
        keyed.append(((position + generator.random()) / totals[kernel[:2]], kernel))
    return [kernel for _, kernel in sorted(keyed)]


def attention():
    """Attention of whole sequences, forward and backward, and of one new token over a cache of keys and values."""
    generator = random.Random(SEED + 1)
    heads = [(8, 8, 128), (32, 8, 128), (32, 32, 128), (8, 1, 128), (16, 16, 64), (12, 12, 64), (64, 8, 64),
             (16, 2, 128)]
    chosen = []
    for count, key_heads, size in heads:
        for length in (128, 256, 512, 1024, 2048, 3072, 4096, 8192, 16384, 32768):
            for sequences in (1, 4, 16, 64):
                flops = 4.0 * sequences * count * length * length * size
                if sequences * length > 131072 or flops > 2e13:
                    continue
                shape = _text(sequences, count, key_heads, length, length, size, size)
                for variant in ("cudnn", "flash"):
                    for mask in ("", "-full"):
                        for way in ("forward", "backward"):
                            chosen.append((f"attention{mask}-{way}", "bf16", shape, variant))
    for sequences, count, length in [(1, 16, 4096), (4, 16, 4096), (1, 128, 4096), (1, 32, 8192), (16, 16, 1024)]:
        shape = _text(sequences, count, count, length, length, 192, 128)
        chosen += [(f"attention-{way}", "bf16", shape, "cudnn") for way in ("forward", "backward")]
    for count, key_heads, size in heads:
        for length in (128, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536):
            for sequences in (1, 2, 8, 32, 128, 256):
                if 4.0 * sequences * length * key_heads * size <= 3e10:
                    shape = _text(sequences, count, key_heads, length, size, size)
                    chosen.append(("attention-decode", "bf16", shape, "flash"))
                    chosen.append(("attention-decode", "bf16-cache8", shape, "flashinfer"))
    chosen += windows() + latent()
    generator.shuffle(chosen)
    return _interleaved(chosen, generator)


def windows():
    """Attention with the windows of published models, forward and backward."""
    return [(f"attention-window-{way}", "bf16",
             _text(sequences, count, key_heads, length, length, size, size, window), variant)
            for count, key_heads, size in ((64, 8, 64), (32, 8, 128), (16, 8, 256))
            for length in (2048, 4096, 8192, 32768) for sequences in (1, 4) for window in (128, 512, 1024, 4096)
            if window < length and sequences * length <= 65536
            for variant in ("flash", "flex") for way in ("forward", "backward")]


def latent():
    """Latent attention of whole sequences and of one new token, and the products before and behind the latter."""
    chosen = []
    for heads in (8, 16, 32, 64, 128):
        chosen += [("latent-projection", "bf16", _text(tokens, heads), "library")
                   for tokens in (1, 16, 128, 1024, 8192)]
        for sequences in (1, 8, 64):
            chosen += [("latent-decode", "bf16", _text(sequences, heads, context), "flashinfer")
                       for context in (128, 1024, 4096, 16384, 65536) if sequences * context <= 1048576]
            chosen += [(f"latent-{way}", "bf16", _text(sequences, heads, length), "cudnn")
                       for length in (512, 2048, 8192) if sequences * length <= 65536
                       for way in ("prefill", "backward")]
    return chosen


def memory():
    """Kernels that move more than they compute, and those of experts."""
    generator = random.Random(SEED + 2)
    chosen = []
    for exponent in range(10, 34):
        for count in {2 ** exponent, 3 * 2 ** (exponent - 1)}:
            chosen += [(kind, "bf16", str(count), "eager") for kind in ("memory", "memory-read", "memory-write")]
    for tokens in (1, 16, 128, 512, 1024, 2048, 4096, 8192, 16384, 32768):
        for hidden in (768, 1024, 2048, 3072, 4096, 5120, 7168, 8192, 12288, 16384):
            for way in ("forward", "backward"):
                chosen.append((f"norm-{way}", "bf16", _text(tokens, hidden), "eager"))
                chosen.append((f"rms-norm-{way}", "bf16", _text(tokens, hidden), "eager"))
                chosen.append((f"swiglu-{way}", "bf16", _text(tokens, hidden), "compiled"))
                chosen.append((f"gelu-{way}", "bf16", _text(tokens, hidden), "eager"))
            chosen.append(("rms-norm-forward", "bf16", _text(tokens, hidden), "compiled"))
            chosen.append(("add", "bf16", _text(tokens, hidden), "eager"))
            for scale in ("tensor", "row", "block"):
                chosen.append(("quantize", f"fp8-{scale}", _text(tokens, hidden), "compiled"))
            chosen.append(("transpose", "bf16", _text(tokens, hidden), "eager"))
            for choices in (2, 8):
                chosen.append(("permute", "bf16", _text(tokens, hidden, choices), "eager"))
                chosen.append(("unpermute", "bf16", _text(tokens, hidden, choices), "eager"))
        for count, size in ((32, 128), (8, 128), (64, 128), (12, 64)):
            chosen.append(("rotary-forward", "bf16", _text(tokens, count, size), "compiled"))
        for vocabulary in (16032, 32000, 51200, 128256):
            if tokens * vocabulary <= 2 ** 31:
                chosen.append(("cross-entropy-forward", "bf16", _text(tokens, vocabulary), "eager"))
                chosen.append(("cross-entropy-backward", "bf16", _text(tokens, vocabulary), "eager"))
        for hidden, vocabulary in ((1024, 51200), (4096, 128256), (8192, 32000)):
            chosen.append(("embedding-forward", "bf16", _text(tokens, hidden, vocabulary), "eager"))
            chosen.append(("embedding-backward", "bf16", _text(tokens, hidden, vocabulary), "eager"))
    for exponent in range(14, 30):
        chosen.append(("adam", "fp32", str(2 ** exponent), "fused"))
    generator.shuffle(chosen)
    return _interleaved(chosen, generator)


def experts():
    """Grouped products of experts."""
    generator = random.Random(SEED + 3)
    chosen = []
    layers = [(4, 4096, 7168), (8, 4096, 7168), (8, 7168, 2048), (32, 4096, 7168), (32, 7168, 2048), (8, 28672, 4096),
              (8, 4096, 14336), (16, 1536, 2048), (128, 1536, 2048), (128, 2048, 768), (2, 14336, 4096)]
    for groups, n, k in layers:
        for rows in (16, 64, 256, 1024, 2048, 4096, 8192, 16384, 32768, 65536):
            if 2.0 * rows * n * k <= LARGEST_FLOPS:
                shape = _text(groups, rows, n, k)
                for load in ("balanced", "power-law-1.01", "power-law-1.2"):
                    chosen.append(("grouped-gemm", "bf16", shape, load))
                chosen.append(("grouped-gemm", "fp8-row", shape, "balanced"))
                chosen.append(("grouped-gemm-gradient", "bf16", shape, "balanced"))
    generator.shuffle(chosen)
    return _interleaved(chosen, generator)


def launch():
    """The time of the host to start kernels, one after the other and as a graph."""
    return [("launch", "bf16", str(count), variant)
            for count in (1, 100, 1000) for variant in ("host", "eager", "graph", "graph-host")]


def sustained():
    """Kernels in a loop of seconds, at the clock that the limit of power leaves, and the same after a rest."""
    chosen = []
    loops = [("gemm", precision, shape) for precision in ("bf16", "fp8-row", "fp8-tensor", "tf32")
             for shape in ("8192x8192x8192",)]
    loops += [("gemm", "bf16", shape) for shape in ("8192x4096x4096", "16384x8192x256", "16x8192x8192")]
    loops += [("gemm-zeros", "bf16", "8192x8192x8192"), ("attention-forward", "bf16", "4x32x8x8192x8192x128x128"),
              ("attention-backward", "bf16", "4x32x8x8192x8192x128x128"), ("memory", "bf16", str(2 ** 32)),
              ("layer", "bf16", "8192x4096x14336x32x8"), ("layer", "bf16", "8192x8192x28672x64x8")]
    for kind, precision, shape in loops:
        chosen += [(kind, precision, shape, "burst"), (kind, precision, shape, "sustained")]
    chosen.append(("idle", "bf16", "1", "sustained"))
    return chosen


GROUPS = {"launch": launch, "sustained": sustained, "attention": attention, "memory": memory, "experts": experts,
          "gemm": gemm}
