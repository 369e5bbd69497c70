#!/usr/bin/env python3
"""Builds the wheel under python/target from the jars of dist/target/heddle, by Python's standard library alone.

usage: python3 python/build.py [--runtime FOLDER]

With --runtime, a Java runtime (jlink) goes into the wheel, which then is for this system alone and needs no Java.
"""

import argparse
import base64
import hashlib
import re
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The wheel's times are fixed, so that equal content gives equal bytes.
TIME = (2026, 1, 1, 0, 0, 0)


def version():
    """The Maven version as Python writes versions (PEP 440)."""
    text = re.search(r"<version>([^<]+)</version>", (ROOT / "pom.xml").read_text(encoding="utf-8")).group(1)
    return text.replace("-SNAPSHOT", ".dev0")


def content(runtime):
    """The files of the package by name."""
    jars = sorted((ROOT / "dist/target/heddle/lib").glob("*.jar"))
    if not jars:
        raise SystemExit("build: dist/target/heddle/lib has no jars; run ./heddle --version first")
    files = {f"heddle/{file.name}": file for file in sorted((ROOT / "python/heddle").glob("*.py"))}
    files.update({f"heddle/lib/{jar.name}": jar for jar in jars})
    if runtime:
        files.update({f"heddle/runtime/{file.relative_to(runtime).as_posix()}": file
                      for file in sorted(runtime.rglob("*")) if file.is_file()})
    return files


def metadata(number):
    """The core metadata of the wheel (PEP 566), its long description included."""
    readme = (ROOT / "python/README.md").read_text(encoding="utf-8")
    return f"""Metadata-Version: 2.1
Name: heddle
Version: {number}
Summary: A simulator of accelerator clusters: networks, collectives, training and HPL
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: frames
Requires-Dist: pandas; extra == "frames"
Provides-Extra: plots
Requires-Dist: pandas; extra == "plots"
Requires-Dist: matplotlib; extra == "plots"
Description-Content-Type: text/markdown

{readme}"""


def build(runtime):
    """Writes the wheel (PEP 427) and returns its path."""
    number = version()
    tag = "py3-none-" + (sysconfig.get_platform().replace("-", "_").replace(".", "_") if runtime else "any")
    info = f"heddle-{number}.dist-info"
    out = ROOT / "python/target"
    out.mkdir(exist_ok=True)
    wheel = out / f"heddle-{number}-{tag}.whl"
    texts = {
        f"{info}/METADATA": metadata(number),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: {'false' if runtime else 'true'}\n"
                         f"Tag: {tag}\n",
        f"{info}/entry_points.txt": "[console_scripts]\nheddle = heddle:main\n",
        f"{info}/LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in content(runtime).items():
            # Java's programs must stay executable.
            add(archive, record, name, file.read_bytes(), file.stat().st_mode)
        for name, text in texts.items():
            add(archive, record, name, text.encode(), 0o644)
        lines = "".join(line + "\n" for line in [*record, f"{info}/RECORD,,"])
        add(archive, [], f"{info}/RECORD", lines.encode(), 0o644)
    return wheel


def add(archive, record, name, data, mode):
    """Adds a file to the wheel and to the list of its checksums."""
    entry = zipfile.ZipInfo(name, TIME)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (mode & 0o777 | 0o100000) << 16
    archive.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{name},sha256={digest},{len(data)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runtime", type=Path, help="a Java runtime to put into the wheel")
    path = build(parser.parse_args().runtime)
    print(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")
