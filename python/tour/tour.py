# %% [markdown]
# # Heddle from Python
#
# Runs, sweeps and training jobs as data frames and plots. It takes the wheel with its plots: `pip install heddle[plots]`.
# `python3 python/notebook.py` makes this notebook from `python/tour/tour.py`, and runs it.

# %%
from pathlib import Path

import heddle
import matplotlib.pyplot as plt
import pandas as pd

scenarios = Path("../../scenarios")

# %% [markdown]
# ## One run
#
# Four nodes of eight accelerators under mixed traffic. Metrics are values by id, in the units beside them; any field of the
# scenario is set by its path.

# %%
first = {load: heddle.run(scenarios / "first.yaml", {"workload.load": load}) for load in ["30 %", "60 %", "90 %"]}
metrics = ["intra.throughput", "intra.latency.p99", "inter.throughput", "inter.fct.p99"]
units = next(iter(first.values()))["units"]
pd.DataFrame({load: {f"{name} [{units[name]}]": result["metrics"][name] for name in metrics if name in units}
              for load, result in first.items()}).round(2)

# %% [markdown]
# ## A sweep
#
# An all_reduce by size and by the rate of the links: a row for each point. A scenario may be a dict.

# %%
rows = heddle.sweep({
    "name": "ring",
    "cluster": {"tiers": [{"name": "node", "terminals": {"accelerator": 8}, "topology": {
        "type": "star", "link": {"type": "generic", "rate": "100 Gb/s", "latency": "1 us"}}}]},
    "collectives": "ring",
    "workload": {"type": "collective", "op": "all_reduce", "size": "1 MiB"},
    "sweep": {
        "cluster.tiers.node.topology.link.rate": ["100 Gb/s", "200 Gb/s", "400 Gb/s"],
        "workload.size": ["64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB"],
    },
})
time = "collective.all_reduce.time [us]"
table = rows.pivot(index="workload.size", columns="cluster.tiers.node.topology.link.rate", values=time)
table = table.loc[rows["workload.size"].unique()].round(1)
table

# %%
figure, axes = plt.subplots(figsize=(7, 4))
table.plot(ax=axes, marker="o", logy=True)
axes.set(xlabel="size of the all_reduce", ylabel="time [us]", title="Ring over 8 accelerators")
axes.legend(title="rate of a link")
axes.grid(alpha=0.3)

# %% [markdown]
# ## A training job
#
# GPT-3 on 1,024 H100s by tensor parallelism, and the seconds of each activity; the same options as `heddle train`.

# %%
jobs = {tp: heddle.train(model="gpt3-175b", cluster="hgx-h100", nodes=128, tp=tp, pp=8, global_batch=1536,
                         fidelity="estimate")["estimate"] for tp in (4, 8)}
frame = pd.DataFrame({f"tp={tp}": {"seconds": job["seconds"], "mfu": job["mfu"], **job["activities"]}
                      for tp, job in jobs.items()})
frame[frame.any(axis=1)].round(3)

# %% [markdown]
# ## Errors
#
# Bad input raises `HeddleError` with the message of the command line.

# %%
try:
    heddle.run(scenarios / "first.yaml", {"workload.lod": "90 %"})
except heddle.HeddleError as error:
    print(error)
