"""Heddle from Python: runs the simulator in a Java process, and returns its results.

    import heddle
    heddle.run("first.yaml", {"workload.load": "90 %"})["metrics"]["intra.throughput"]
    heddle.sweep("sweep.yaml")          # a pandas.DataFrame, or a list of dicts without pandas
    heddle.train(model="gpt3-175b", cluster="hgx-h100", nodes=128, tp=8, pp=8, global_batch=1536)

A scenario is a path, or a dict with the content of a scenario file. Errors of the input raise HeddleError with
the message of the command line.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["HeddleError", "command", "main", "run", "sweep", "train"]

_HOME = Path(__file__).parent


class HeddleError(Exception):
    """A command failed; `code` is its exit code, 2 for bad input."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def run(scenario, overrides=None, *, out=None):
    """Runs one scenario.

    overrides: fields to set, by path, as --set of the command line.
    out: a folder that keeps the results and the report.
    Returns a dict: "run" (seed, fidelity, ...), "metrics" (value by id), "units" (by id), "links", and the rest as in
    results.json.
    """
    with _file(scenario) as path:
        answer = _json(["run", path, "--json", *_set(overrides), *_out(out)])
    return _named(answer)


def sweep(scenario, overrides=None, *, out=None, threads=None, engine=None, workers=None):
    """Runs all points of a scenario's sweep; finished points are kept in `out`, where the same call resumes.

    engine, workers: as --engine and --workers of the command line, such as "slurm" and 8.
    Returns a row per point with its parameters, metrics and figures, by the column names of results.csv: a
    pandas.DataFrame where pandas is installed, else a list of dicts.
    """
    options = [f"--{name}={value}" for name, value in
               (("threads", threads), ("engine", engine), ("workers", workers)) if value is not None]
    with tempfile.TemporaryDirectory() as scratch, _file(scenario) as path:
        folder = Path(out) if out is not None else Path(scratch) / "results"
        _call(["sweep", path, "--quiet", f"--out={folder}", *options, *_set(overrides)])
        return _table(folder / "results.csv")


def train(**options):
    """Predicts the time of a training iteration; options are those of `heddle train`, such as global_batch=1536.

    Returns the answer of `heddle train --json` as a dict.
    """
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    return _json(["train", "--json", *words])


def command(arguments):
    """The whole command line that runs Heddle with these arguments."""
    options = os.environ.get("HEDDLE_JAVA_OPTS", "").split()
    return [_java(), "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto", *options, "-cp",
            os.path.join(_HOME, "lib", "*"), "dev.heddle.cli.Main", *map(str, arguments)]


def main():
    """The program `heddle`, as on the command line."""
    try:
        sys.exit(subprocess.call(command(sys.argv[1:])))
    except HeddleError as error:
        print(f"heddle: {error}", file=sys.stderr)
        sys.exit(error.code)
    except KeyboardInterrupt:
        sys.exit(130)


def _java():
    """The Java to use: HEDDLE_JAVA_HOME, the wheel's own runtime, JAVA_HOME, or the path's."""
    homes = [os.environ.get("HEDDLE_JAVA_HOME"), _HOME / "runtime", os.environ.get("JAVA_HOME")]
    for home in filter(None, homes):
        for name in ("java", "java.exe"):
            if (Path(home) / "bin" / name).exists():
                return str(Path(home) / "bin" / name)
    java = shutil.which("java")
    if java is None:
        raise HeddleError("needs Java 17 or newer, and found none; install one, or set HEDDLE_JAVA_HOME", 3)
    return java


def _call(arguments):
    done = subprocess.run(command(arguments), capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise HeddleError(done.stderr.strip(), done.returncode)
    return done.stdout


def _json(arguments):
    return json.loads(_call(arguments))


class _file:
    """The path of a scenario; a dict is written to a file, as JSON is YAML."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.folder = None

    def __enter__(self):
        if not isinstance(self.scenario, dict):
            return str(self.scenario)
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "scenario.yaml"
        path.write_text(json.dumps(self.scenario), encoding="utf-8")
        return str(path)

    def __exit__(self, *error):
        if self.folder is not None:
            self.folder.cleanup()


def _set(overrides):
    return [f"--set={path}={value}" for path, value in (overrides or {}).items()]


def _out(folder):
    return [] if folder is None else [f"--out={folder}"]


def _named(answer):
    metrics = answer.get("metrics", [])
    return {**answer, "metrics": {metric["id"]: metric["value"] for metric in metrics},
            "units": {metric["id"]: metric["unit"] for metric in metrics}}


def _table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(file)]
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _value(text):
    """A number where the text is one, None where it is empty."""
    if text == "":
        return None
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
