"""Measures kernels on the GPU at hand and writes them as Heddle's database of kernels.

Needs PyTorch with CUDA or ROCm; Heddle itself needs neither, nor this script. Reads a list of kernels, measures those
that PyTorch can run, and writes the same columns with times of its own:

    ./heddle train --model gpt3-175b --cluster hgx-h100 --nodes 16 --tp 8 --pp 8 --global-batch 256 --list-kernels list.csv
    python3 workload-megatron/src/main/python/measure_kernels.py list.csv measured.csv --gpu "H100 SXM"

Then name the file in a job: kernels: {preset: kernels-hopper, database: measured.csv}. Times are means over --repeats
runs after --warm-up runs, between two events of the device. What is measured: gemm and gemm-add of fp16, bf16, fp32 and
tf32, fused causal attention of 16 bits forward and backward, PyTorch's normalisation with its gradients, and copies in
place of kernels that move bytes. A gemm-add
is the product alone followed by an addition to 32 bits, as PyTorch has no product that adds to 32 bits. Rows of other
precisions are left out, which Heddle then models.
"""

import argparse
import csv
import sys

COLUMNS = ["gpu", "kernel", "precision", "shape", "us"]


def read(path):
    """The rows of a database without its comments."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    if not rows or not set(COLUMNS[1:4]) <= set(rows[0]):
        sys.exit(f"{path}: no kernels; its columns must be {','.join(COLUMNS)}")
    return rows


def sizes(row):
    """The sizes of a row's shape."""
    return [int(part) for part in row["shape"].split("x")]


def product(torch, row, types):
    """A function that runs a row's product, or nothing where PyTorch has none."""
    kind = types.get(row["precision"])
    if kind is None:
        return None
    shape = sizes(row)
    batch = shape[:-3]
    m, n, k = shape[-3:]
    torch.backends.cuda.matmul.allow_tf32 = row["precision"] == "tf32"
    a = torch.randn(*batch, m, k, dtype=kind, device="cuda")
    b = torch.randn(*batch, n, k, dtype=kind, device="cuda").transpose(-1, -2)
    if row["kernel"] == "gemm":
        return lambda: torch.matmul(a, b)
    total = torch.zeros(*batch, m, n, dtype=torch.float32, device="cuda")
    return lambda: total.add_(torch.matmul(a, b))


def attention(torch, row):
    """A function that runs a row's attention."""
    sequences, heads, key_heads, queries, keys, key_size, value_size = sizes(row)
    backward = row["kernel"] == "attention-backward"

    def tensor(count, length, size):
        return torch.randn(
            sequences, count, length, size, dtype=torch.bfloat16, device="cuda", requires_grad=backward)

    q = tensor(heads, queries, key_size)
    k = tensor(key_heads, keys, key_size)
    v = tensor(key_heads, keys, value_size)
    groups = {"enable_gqa": True} if heads != key_heads else {}

    def forward():
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, **groups)

    if not backward:
        return forward
    result = forward()
    gradient = torch.randn_like(result)
    return lambda: torch.autograd.grad(result, (q, k, v), gradient, retain_graph=True)


def norm(torch, row):
    """A function that normalises as a row says."""
    tokens, hidden = sizes(row)
    backward = row["kernel"] == "norm-backward"
    layer = torch.nn.LayerNorm(hidden, dtype=torch.float16, device="cuda")
    vectors = torch.randn(tokens, hidden, dtype=torch.float16, device="cuda", requires_grad=backward)
    if not backward:
        return lambda: layer(vectors)
    result = layer(vectors)
    gradient = torch.randn_like(result)
    return lambda: torch.autograd.grad(result, (vectors, *layer.parameters()), gradient, retain_graph=True)


def move(torch, row):
    """A function that reads half of a row's bytes and writes the other half."""
    count = max(1, sizes(row)[0] // 2)
    source = torch.zeros(count, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def runner(torch, row):
    """A function that runs a row's kernel once, or nothing where it cannot be run."""
    types = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "tf32": torch.float32}
    if row["kernel"] in ("gemm", "gemm-add"):
        return product(torch, row, types)
    if row["kernel"] in ("attention-forward", "attention-backward"):
        return attention(torch, row)
    if row["kernel"] in ("norm-forward", "norm-backward"):
        return norm(torch, row)
    if row["kernel"] == "memory":
        return move(torch, row)
    return None


def microseconds(torch, run, warm_up, repeats):
    """The mean time of a function on the device."""
    for _ in range(warm_up):
        run()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record()
    for _ in range(repeats):
        run()
    end.record()
    torch.cuda.synchronize()
    return 1000 * start.elapsed_time(end) / repeats


def measure(rows, gpu, out, warm_up, repeats):
    """Measures rows and writes them."""
    import torch

    if not torch.cuda.is_available():
        sys.exit("PyTorch sees no GPU")
    out.write(f"# source: measured on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        try:
            run = runner(torch, row)
            if run is None:
                print(f"left out: {row['kernel']} {row['precision']} {row['shape']}", file=sys.stderr)
                continue
            time = microseconds(torch, run, warm_up, repeats)
        except torch.cuda.OutOfMemoryError:
            print(f"does not fit: {row['kernel']} {row['precision']} {row['shape']}", file=sys.stderr)
            continue
        writer.writerow([gpu, row["kernel"], row["precision"], row["shape"], f"{time:.3f}"])
        out.flush()


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", help="kernels to measure, as heddle train --list-kernels writes them")
    parser.add_argument("result", help="file to write")
    parser.add_argument("--gpu", help="name of the accelerator in Heddle's presets; without it, the list's")
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=50)
    arguments = parser.parse_args()
    rows = read(arguments.list)
    gpu = arguments.gpu or rows[0].get("gpu") or sys.exit("--gpu is missing")
    with open(arguments.result, "w", newline="", encoding="utf-8") as out:
        measure(rows, gpu, out, arguments.warm_up, arguments.repeats)


if __name__ == "__main__":
    main()
