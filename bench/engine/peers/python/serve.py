"""Answers one question a line with one line of JSON, until there are no more.

    python serve.py <folder of candles>

The folder holds a file of 64-bit floats for each column. A question names a library, the work, the
runs, the fee of a side, how many candles, whether columns are given, and what is asked for: the
"result" (figures of every run, trades of the first), or the "ms" of processor time that one call
took, what it leaves behind being collected before the clock starts.
"""

import gc
import importlib
import json
import os
import pathlib
import sys
import time
import warnings

# One core, as on the other side, and no progress bars.
for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["TQDM_DISABLE"] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

MODULES = {"vectorbt": "with_vectorbt", "backtesting.py": "with_backtesting"}


def read_frame(folder):
    """The candles, named as both libraries name them."""
    names = ("open", "high", "low", "close", "volume")
    read = {name.capitalize(): np.fromfile(folder / f"{name}.f64") for name in names}
    # The closes of a second market, where there is one.
    if (folder / "other.f64").exists():
        read["Other"] = np.fromfile(folder / "other.f64")
    times = np.fromfile(folder / "time.f64").astype("int64")
    return pd.DataFrame(read, index=pd.to_datetime(times, unit="ms"))


def to_json(value):
    """What JSON doesn't know by itself."""
    if isinstance(value, pd.Series):
        value = value.to_numpy()
    return value.tolist()


def serve(frame, questions, answers):
    """One answer for each question."""
    columns = {}
    for line in questions:
        question = json.loads(line)
        library, count = question["library"], question["candleCount"]
        module = importlib.import_module(MODULES[library])
        part = frame.iloc[:count]
        options = {}
        if question["isGivenColumns"]:
            if (library, count) not in columns:
                columns[library, count] = module.reversal_columns(part)
            options["given"] = columns[library, count]
        work = getattr(module, question["work"])
        gc.collect()
        started = time.process_time()
        found = work(part, question["runs"], question["fee"], **options)
        ms = (time.process_time() - started) * 1000
        answer = {"ms": ms} if question["asks"] == "ms" else module.answer(found)
        del found
        print(json.dumps(answer, default=to_json), file=answers, flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # Whatever the libraries print goes elsewhere.
    answers, sys.stdout = sys.stdout, sys.stderr
    serve(read_frame(pathlib.Path(sys.argv[1])), sys.stdin, answers)
