#!/usr/bin/env python3
"""Makes python/tour/tour.ipynb from tour.py beside it, whose cells begin with '# %%', and runs it.

usage: python3 python/notebook.py

It takes the wheel of python/build.py, and nbclient, ipykernel, pandas and matplotlib (Debian: python3-nbclient,
python3-ipykernel, python3-pandas, python3-matplotlib).
"""

import os
import re
import tempfile
import zipfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent


def cells(text):
    """The cells of a script; lines of text are comments in it."""
    for kind, body in re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n)*)", text, re.MULTILINE):
        if "[markdown]" in kind:
            yield nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip())
        else:
            yield nbformat.v4.new_code_cell(body.strip())


def main():
    """Writes the notebook with its outputs."""
    wheels = sorted((ROOT / "python/target").glob("heddle-*.whl"))
    if not wheels:
        raise SystemExit("notebook: python/target has no wheel; run python3 python/build.py first")
    notebook = nbformat.v4.new_notebook(
        cells=list(cells((ROOT / "python/tour/tour.py").read_text(encoding="utf-8"))),
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    # Equal cells have equal ids, so that a run that changes nothing changes no line.
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheels[-1]) as wheel:
            wheel.extractall(folder)
        os.environ["PYTHONPATH"] = folder
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(ROOT / "python/tour")}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("language_info", None)
    nbformat.write(notebook, ROOT / "python/tour/tour.ipynb")
    print(f"{ROOT / 'python/tour/tour.ipynb'} ({len(notebook.cells)} cells)")


if __name__ == "__main__":
    main()
