# Every target may be run again at any time. The environment is .venv; it is made once and remade when its inputs change.
PYTHON ?= python3
WORKERS ?= 3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help venv demo cpp-demo test check bench docs dist sizes test-pythons clean

help:
	@echo "make demo          train the digit recogniser in both modes, save, reload, predict, export"
	@echo "make cpp-demo      export that model, predict from C++, compare; needs CMake and a C++ compiler"
	@echo "make test          the whole test suite"
	@echo "make check         format, lint, types and the tiny tests"
	@echo "make bench         speed and memory beside the peers"
	@echo "make docs          the documents as a site, in English and Chinese"
	@echo "make dist          a wheel and an archive of the sources, in dist"
	@echo "make sizes         the longest files"
	@echo "make test-pythons  the whole test suite on every Python found here, 3.10 to 3.13 (TESTS=tests/core: a part of it)"
	@echo "make clean         remove the environment and what was built"

venv: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,demo,export]'
	@touch $@

demo: $(READY)
	$(BIN)/python examples/digits.py

cpp-demo: $(READY)
	@command -v cmake >/dev/null && command -v $${CXX:-c++} >/dev/null || \
		{ echo "make cpp-demo needs CMake and a C++ compiler (cmake, $${CXX:-c++}); install them and run it again"; exit 1; }
	@test -d build/demo/inference_model || $(BIN)/python examples/digits.py
	$(BIN)/python examples/deploy.py

# One thread per worker: workers with two threads each would fight over the cores; there is one more of them than cores,
# as some tests wait for other processes. Those are many, and start sooner with bytecode, whatever the caller has set.
# Tests that wait stand together: a worker that is left with them gives some away.
test: $(READY)
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_tiny.py tests/test_unused.py

bench: $(READY)
	$(BIN)/python benchmarks/run.py

docs: $(READY)
	rm -rf build/docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs/en
	$(BIN)/sphinx-build -q -W --keep-going -b html -c docs -D language=zh_CN docs/zh build/docs/zh
	@echo "build/docs/en/index.html and build/docs/zh/index.html"

dist: $(READY)
	rm -rf dist
	$(BIN)/python -m build --no-isolation

sizes:
	@$(PYTHON) tools/sizes.py

test-pythons:
	$(PYTHON) tools/test_pythons.py -n $(WORKERS) --dist worksteal $(TESTS)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache .mypy_cache
	find src tests tools examples -name __pycache__ -type d -prune -exec rm -rf {} +
