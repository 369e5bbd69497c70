#!/usr/bin/env python3
"""Tests of the wheel: installs it into a new virtual environment and runs the tests there, without the network.

usage: python3 python/test.py [WHEEL]
"""

import subprocess
import sys
import tempfile
import unittest
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAR = {
    "name": "star",
    "cluster": {"tiers": [{"name": "node", "terminals": {"accelerator": 4}, "topology": {
        "type": "star", "link": {"type": "generic", "rate": "100 Gb/s", "latency": "1 us"}}}]},
    "collectives": "ring",
    "workload": {"type": "collective", "op": "all_reduce", "size": "1 MiB"},
}


class WheelTest(unittest.TestCase):
    def test_run_gives_metrics_by_id(self):
        result = heddle.run(STAR)
        self.assertEqual(result["run"]["scenario"], "star")
        # A ring of 4 sends 6 quarters of 1 MiB, each over two links of 1 us, at 100 Gb/s.
        time = 6 * (2 + (1 << 18) * 8 / 100e3)
        self.assertAlmostEqual(result["metrics"]["collective.all_reduce.time"], time, places=6)
        self.assertEqual(result["units"]["collective.all_reduce.time"], "us")

    def test_run_takes_files_overrides_and_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = ROOT / "scenarios/first.yaml"
            low = heddle.run(path, {"workload.load": "10 %"}, out=folder)
            high = heddle.run(path, {"workload.load": "20 %"})
            self.assertTrue((Path(folder) / "report.html").exists())
        self.assertGreater(high["metrics"]["intra.throughput"], low["metrics"]["intra.throughput"])

    def test_sweep_gives_a_row_for_each_point(self):
        rows = heddle.sweep({**STAR, "sweep": {"workload.size": ["1 MiB", "2 MiB", "4 MiB"]}}, threads=1)
        if not isinstance(rows, list):
            rows = rows.to_dict("records")
        self.assertEqual([row["workload.size"] for row in rows], ["1 MiB", "2 MiB", "4 MiB"])
        times = [row["collective.all_reduce.time [us]"] for row in rows]
        self.assertEqual(times, sorted(times))

    def test_train_gives_the_iteration(self):
        job = heddle.train(model="gpt3-175b", cluster="hgx-h100", nodes=128, tp=8, pp=8, global_batch=1536)
        self.assertIsInstance(job, dict)
        self.assertTrue(job)

    def test_bad_input_raises_with_the_message(self):
        with self.assertRaises(heddle.HeddleError) as caught:
            heddle.run({**STAR, "workload": {"type": "colective"}})
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("did you mean 'collective'?", str(caught.exception))

    def test_program_is_the_command_line(self):
        for call in ([Path(sys.executable).parent / "heddle"], [sys.executable, "-m", "heddle"]):
            done = subprocess.run([*call, "--version"], capture_output=True, text=True, check=True)
            self.assertIn("0.", done.stdout)


def install_and_test(wheel):
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                        "--disable-pip-version-check", wheel], check=True)
        return subprocess.run([python, "-I", __file__, "--installed"], cwd=folder, check=False).returncode


if __name__ == "__main__":
    if "--installed" in sys.argv:
        import heddle
        unittest.main(argv=[sys.argv[0], "-v"])
    wheels = sorted((ROOT / "python/target").glob("*-any.whl"))
    sys.exit(install_and_test(sys.argv[1] if len(sys.argv) > 1 else wheels[-1]))
