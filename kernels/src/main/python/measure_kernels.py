"""Measures kernels on the GPU at hand and writes them as one of Heddle's kernel tables.

Needs PyTorch with CUDA or ROCm; Heddle itself needs neither, nor this script. Either a list of kernels is measured, as
`heddle train --list-kernels` writes it, or a suite of its own that covers the kernels of models:

    python3 kernels/src/main/python/measure_kernels.py measured.csv --suite gemm,attention,memory,experts
    python3 kernels/src/main/python/measure_kernels.py measured.csv --list list.csv --gpu h100-sxm

A run that was cut short, by --limit-seconds or otherwise, goes on where it stopped when it is called again with the
same file; kernels that cannot be run are noted in FILE.failed and not tried again. The columns are

    gpu,kernel,precision,shape,us,variant,spread,watts,mhz

where us is the time of one call, from its start to the next call's, variant is the library or the load, spread is the
largest deviation among three measurements relative to their median, watts and mhz are means of loops of seconds and
empty elsewhere. Short kernels are captured in a CUDA graph, so that no time of the host is in theirs.
"""

import argparse
import csv
import ctypes
import gc
import os
import sys
import time

import kernel_suite

COLUMNS = ["gpu", "kernel", "precision", "shape", "us", "variant", "spread", "watts", "mhz"]
NAMES = {"H100 80GB HBM3": "h100-sxm", "H100 PCIe": "h100-pcie", "H200": "h200", "A100-SXM4-80GB": "a100-sxm",
         "A100-SXM4-40GB": "a100-sxm-40", "B200": "b200", "GB200": "gb200", "L40S": "l40s"}
# Kernels up to this are captured in a graph: the host takes up to 0.3 ms to start one, and more the first time.
ONE_GRAPH_US = 2000.0
FEW = ("launch", "sustained")
MANY_BYTES = 2 ** 34


class Meter:
    """Power and clock of the GPU, of NVIDIA's management library where there is one."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
            self.device = ctypes.c_void_p()
            if self.library.nvmlInit_v2() or self.library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)):
                self.library = None
        except OSError:
            self.library = None

    def _number(self, function, *arguments, kind=ctypes.c_uint):
        if self.library is None:
            return None
        value = kind()
        failed = getattr(self.library, function)(self.device, *arguments, ctypes.byref(value))
        return None if failed else value.value

    def millijoules(self):
        """Energy since the driver was loaded."""
        return self._number("nvmlDeviceGetTotalEnergyConsumption", kind=ctypes.c_ulonglong)

    def megahertz(self):
        """The clock of the multiprocessors."""
        return self._number("nvmlDeviceGetClockInfo", 1)

    def limit_watts(self):
        """The limit of power in force."""
        value = self._number("nvmlDeviceGetEnforcedPowerLimit")
        return None if value is None else value / 1000


def read_list(path):
    """The kernels of a table or list."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    if not rows or not {"kernel", "precision", "shape"} <= set(rows[0]):
        sys.exit(f"{path}: no kernels; its columns must be gpu,kernel,precision,shape,us")
    return [(row["kernel"], row["precision"], row["shape"], row.get("variant") or "library") for row in rows]


def read_done(path):
    """The kernels that a file of results, or of failures, holds already."""
    if not os.path.exists(path):
        return set()
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    return {(row["kernel"], row["precision"], row["shape"], row["variant"]) for row in csv.DictReader(lines)
            if row.get("variant")}


def elapsed(torch, run):
    """Microseconds of the device while a function runs."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    run()
    end.record()
    end.synchronize()
    return 1000 * start.elapsed_time(end)


def in_turn(runs, count):
    """A function that runs so many, one after the other."""

    def loop():
        for i in range(count):
            runs[i % len(runs)]()

    return loop


def graph_of(torch, run):
    """A function that replays what another does, which must have run before in the same stream."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()
    try:
        run()
    finally:
        graph.capture_end()
    return graph.replay


def microseconds(torch, runs, target_us):
    """The median of three means, and the largest deviation from it."""
    for run in runs[:2]:
        run()
    torch.cuda.synchronize()
    count = min(10, max(2, len(runs)))
    estimate = elapsed(torch, in_turn(runs, count)) / count
    count = int(min(200, max(3, target_us / estimate)))
    count = max(count, len(runs)) if estimate * len(runs) < target_us else count
    loop = in_turn(runs, count)
    if estimate < ONE_GRAPH_US:
        loop = graph_of(torch, loop)
        loop()
    means = sorted(elapsed(torch, loop) / count for _ in range(3))
    return means[1], max(means[2] - means[1], means[1] - means[0]) / means[1]


def in_seconds(torch, meter, runs, seconds):
    """Time, power and clock of one call in the second half of a loop of seconds."""
    runs[0]()
    torch.cuda.synchronize()
    one = max(1.0, elapsed(torch, in_turn(runs, 3)) / 3)
    loop = in_turn(runs, max(1, int(50000 / one)))
    if one < ONE_GRAPH_US:
        loop = graph_of(torch, loop)
    count = max(1, int(50000 / one))
    begin = time.monotonic()
    while time.monotonic() - begin < seconds / 2:
        elapsed(torch, loop)
    energy, middle, clocks, total, calls = meter.millijoules(), time.monotonic(), [], 0.0, 0
    while time.monotonic() - middle < seconds / 2:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        loop()
        end.record()
        clocks.append(meter.megahertz())
        end.synchronize()
        total += 1000 * start.elapsed_time(end)
        calls += count
    passed = time.monotonic() - middle
    watts = "" if energy is None else f"{(meter.millijoules() - energy) / 1000 / passed:.1f}"
    known = [clock for clock in clocks if clock]
    return total / calls, watts, f"{sum(known) / len(known):.0f}" if known else ""


def after_rest(torch, meter, runs):
    """Time of calls within 20 ms after seconds of rest, and the clock just after them."""
    runs[0]()
    torch.cuda.synchronize()
    one = max(1.0, elapsed(torch, in_turn(runs, 2)) / 2)
    count = max(2, int(20000 / one))
    loop = in_turn(runs, count)
    if one < ONE_GRAPH_US:
        loop = graph_of(torch, loop)
    torch.cuda.synchronize()
    time.sleep(2.0)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    in_turn(runs, 1)()
    start.record()
    loop()
    end.record()
    clock = meter.megahertz()
    end.synchronize()
    return 1000 * start.elapsed_time(end) / count, "", str(clock or "")


def idle(meter, seconds):
    """Power of the GPU that does nothing while a program holds it."""
    time.sleep(seconds / 2)
    energy, begin = meter.millijoules(), time.monotonic()
    time.sleep(seconds / 2)
    passed = time.monotonic() - begin
    watts = "" if energy is None else f"{(meter.millijoules() - energy) / 1000 / passed:.1f}"
    return 1e6 * passed, watts, str(meter.megahertz() or "")


def launches(torch, count, variant):
    """Time of one empty kernel: of the host to start it, or from one to the next on the device."""
    x = torch.zeros(1, device="cuda")

    def loop():
        for _ in range(count):
            x.add_(1.0)

    loop()
    torch.cuda.synchronize()
    work = graph_of(torch, loop) if variant.startswith("graph") else loop
    work()
    torch.cuda.synchronize()
    means = []
    for _ in range(9):
        begin = time.perf_counter()
        if variant in ("host", "graph-host"):
            work()
            means.append(1e6 * (time.perf_counter() - begin) / (count if variant == "host" else 1))
            torch.cuda.synchronize()
        else:
            means.append(elapsed(torch, work) / count)
    means.sort()
    return means[4], (means[6] - means[2]) / means[4]


def measure(torch, meter, kernel, arguments):
    """The cells of a kernel's row behind its shape: us, variant, spread, watts, mhz."""
    import kernel_engines
    import kernel_runs

    kind, precision, shape, variant = kernel
    sizes = [int(part) for part in shape.split("x")]
    if kind == "launch":
        us, spread = launches(torch, sizes[0], variant)
        return [f"{us:.4f}", variant, f"{spread:.4f}", "", ""]
    if kind == "idle":
        us, watts, mhz = idle(meter, arguments.loop_seconds)
        return [f"{us:.0f}", variant, "", watts, mhz]
    builder = kernel_engines.builder(kind, precision) or kernel_runs.BUILDERS.get(kind)
    if builder is None:
        raise kernel_runs.Unsupported(f"no kernel {kind}")
    runs = builder(precision, sizes, variant)
    if variant == "sustained":
        us, watts, mhz = in_seconds(torch, meter, runs, arguments.loop_seconds)
        return [f"{us:.4f}", variant, "", watts, mhz]
    if variant == "burst":
        us, watts, mhz = after_rest(torch, meter, runs)
        return [f"{us:.4f}", variant, "", watts, mhz]
    us, spread = microseconds(torch, runs, 1000 * arguments.milliseconds)
    return [f"{us:.4f}", variant, f"{spread:.4f}", "", ""]


def describe(torch, meter):
    """Where a file's times are from."""
    properties = torch.cuda.get_device_properties(0)
    return (f"# source: measured on {torch.cuda.get_device_name()}, {properties.multi_processor_count} multiprocessors, "
            f"{properties.total_memory / 2 ** 30:.0f} GiB, limit {meter.limit_watts() or 'unknown'} W, PyTorch "
            f"{torch.__version__}, CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}; "
            "kernels/src/main/python/measure_kernels.py\n")


def run_all(kernels, arguments):
    """Measures kernels until all are done or the time is over."""
    import torch

    if not torch.cuda.is_available():
        sys.exit("PyTorch sees no GPU")
    begin = time.monotonic()
    meter = Meter()
    failures = arguments.result + ".failed"
    done = read_done(arguments.result) | read_done(failures)
    name = torch.cuda.get_device_name().replace("NVIDIA ", "")
    gpu = arguments.gpu or NAMES.get(name) or sys.exit("--gpu is missing")
    fresh = not os.path.exists(arguments.result)
    left = [kernel for kernel in dict.fromkeys(kernels) if kernel not in done]
    measured = failed = 0
    # One stream for all: gradients run in the stream of their forward pass, which a graph must be captured in.
    with torch.cuda.stream(torch.cuda.Stream()), open(arguments.result, "a", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        if fresh:
            out.write(describe(torch, meter))
            writer.writerow(COLUMNS)
        for kernel in left:
            if time.monotonic() - begin > arguments.limit_seconds:
                break
            try:
                writer.writerow([gpu, *kernel[:3], *measure(torch, meter, kernel, arguments)])
                out.flush()
                measured += 1
            except Exception as error:  # Any kernel may be missing, too large or refused; the others still count.
                note(failures, kernel, error)
                failed += 1
            recover(torch, kernel)
    print(f"{measured} measured, {failed} failed, {len(done)} known before, {len(left) - measured - failed} left, "
          f"{time.monotonic() - begin:.0f} s", file=sys.stderr)


def recover(torch, kernel):
    """Frees what kernels left, and ends the program where the device takes no more work."""
    if torch.cuda.memory_allocated() > MANY_BYTES:
        gc.collect()
    if torch.cuda.memory_reserved() > 2 * MANY_BYTES:
        torch.cuda.empty_cache()
    try:
        torch.cuda.synchronize()
    except RuntimeError as error:
        sys.exit(f"the device failed at {' '.join(kernel)}: {error}; call again to go on behind it")


def note(path, kernel, error):
    """Writes down a kernel that could not be run."""
    fresh = not os.path.exists(path)
    with open(path, "a", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        if fresh:
            writer.writerow(["kernel", "precision", "shape", "variant", "error"])
        writer.writerow([*kernel, f"{type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}"])


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", help="file to write, or to go on with")
    parser.add_argument("--list", help="kernels to measure, as heddle train --list-kernels writes them")
    parser.add_argument("--suite", help="groups of the built-in suite, of " + ",".join(kernel_suite.GROUPS))
    parser.add_argument("--gpu", help="id of the accelerator in Heddle; known of some from PyTorch's name")
    parser.add_argument("--limit-seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--milliseconds", type=float, default=6.0, help="length of one measurement of three")
    parser.add_argument("--loop-seconds", type=float, default=6.0, help="length of a sustained loop")
    parser.add_argument("--sample", type=int, default=1, help="measure every nth kernel only, of large groups")
    arguments = parser.parse_args()
    if bool(arguments.list) == bool(arguments.suite):
        parser.error("give either --list or --suite")
    if arguments.list:
        kernels = read_list(arguments.list)
    else:
        unknown = [name for name in arguments.suite.split(",") if name not in kernel_suite.GROUPS]
        if unknown:
            parser.error(f"no group {', '.join(unknown)}; there are {', '.join(kernel_suite.GROUPS)}")
        kernels = [kernel for name in arguments.suite.split(",")
                   for kernel in kernel_suite.GROUPS[name]()[::1 if name in FEW else arguments.sample]]
    run_all(kernels, arguments)


if __name__ == "__main__":
    main()
