"""The code samples in the docstrings of Fluid 1.8.5, run there and here.

    python tools/oracle/samples.py extract FOLDER      under 1.8.5: write every sample to FOLDER/<name>.py
    python tools/oracle/samples.py run FOLDER RESULT   under either: run each in a process of its own, write JSON
    python tools/oracle/samples.py compare A B         what works in A (1.8.5) and not in B (Refluid)

The samples are Fluid's own texts: FOLDER stays outside the project.
"""

import importlib
import inspect
import json
import multiprocessing
import os
import pkgutil
import sys
import tempfile
import textwrap
import time
import traceback

LIMIT = 60  # seconds for one sample


def blocks(text):
    """The bodies of `.. code-block:: python` in a docstring."""
    lines = text.expandtabs().splitlines()
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if not line.strip().replace(" ", "").startswith("..code-block::python"):
            continue
        indent = len(line) - len(line.lstrip())
        body = []
        while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) > indent):
            body.append(lines[i])
            i += 1
        body = [one for one in body if not one.strip().startswith(":name:")]
        yield textwrap.dedent("\n".join(body)).strip() + "\n"


def extract(folder):
    import paddle

    os.makedirs(folder, exist_ok=True)
    seen = set()
    for module in pkgutil.walk_packages(paddle.__path__, "paddle.", onerror=lambda name: None):
        if ".tests" in module.name or module.name.endswith(("core_noavx", ".libs")):
            continue
        try:
            members_of = vars(importlib.import_module(module.name))
        except Exception:
            continue
        for name, value in list(members_of.items()):
            if getattr(value, "__module__", None) != module.name or not (inspect.isclass(value) or callable(value)):
                continue
            members = list(vars(value).items()) if inspect.isclass(value) else []
            for member, described in [("", value), *members]:
                described = getattr(described, "fget", None) or getattr(described, "__func__", described)
                doc = getattr(described, "__doc__", None)
                if not isinstance(doc, str):
                    continue
                for i, text in enumerate(blocks(doc)):
                    if text in seen:
                        continue
                    seen.add(text)
                    path = ".".join(filter(None, [module.name, name, member, str(i)]))
                    with open(os.path.join(folder, path + ".py"), "w") as file:
                        file.write(text)
    print(len(seen), "samples")


def child(path, pipe):
    os.chdir(tempfile.mkdtemp())
    output = os.open("output.txt", os.O_RDWR | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    begun = time.time()
    error = None
    try:
        source = open(path).read()  # noqa: SIM115
        exec(compile(source, path, "exec"), {"__name__": "__main__", "__file__": path})
    except SystemExit:
        pass
    except BaseException as raised:
        error = "%s: %s" % (type(raised).__name__, str(raised)[:2000])
        last = traceback.extract_tb(raised.__traceback__)[-1]
        error += "\n  at %s:%d" % (os.path.basename(last.filename), last.lineno)
    sys.stdout.flush()
    os.lseek(output, 0, 0)
    text = os.read(output, 20000).decode("utf-8", "replace")
    pipe.send({"error": error, "output": text, "seconds": round(time.time() - begun, 2)})
    os._exit(0)


def run(folder, result):
    import paddle.fluid

    assert paddle.fluid
    context = multiprocessing.get_context("fork")
    told = {}
    for name in sorted(os.listdir(folder)):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=child, args=(os.path.join(folder, name), theirs))
        process.start()
        theirs.close()
        try:
            told[name] = ours.recv() if ours.poll(LIMIT) else {"error": "hangs"}
        except EOFError:
            told[name] = {"error": "ended by a signal"}
        process.kill()
        process.join()
        with open(result, "w") as file:
            json.dump(told, file, indent=1)
    print(sum(not one["error"] for one in told.values()), "of", len(told), "work")


def compare(first, second):
    theirs, ours = (json.load(open(path)) for path in (first, second))  # noqa: SIM115
    works = [name for name, one in theirs.items() if not one["error"]]
    failed = [name for name in works if ours.get(name, {"error": "not run"})["error"]]
    for name in failed:
        print("%s\n    %s" % (name, ours.get(name, {"error": "not run"})["error"][:600].replace("\n", "\n    ")))
    slow = [n for n in works if ours.get(n, {}).get("seconds", 0) > 1.2 and theirs[n]["seconds"] < 0.3]
    print("slow here (above 1.2 s) and quick there (below 0.3 s): %d %s" % (len(slow), " ".join(slow)))
    print("%d samples work on 1.8.5, %d of them here" % (len(works), len(works) - len(failed)))


if __name__ == "__main__":
    {"extract": extract, "run": run, "compare": compare}[sys.argv[1]](*sys.argv[2:])
