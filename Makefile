# Two commands on a fresh machine: `make demo` sets up and translates, `make test` sets up and runs every check.
VENV ?= .venv
PYTHON ?= python3
BIN = $(VENV)/bin

.PHONY: demo test clean

demo: $(VENV)/ready
	$(BIN)/translit translate "I love you"
	$(BIN)/translit explain "I love you"

test: $(VENV)/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/ready-test: $(VENV)/ready
	$(BIN)/pip install --quiet -c constraints.txt -e '.[test,formats,onnx,huggingface]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
