# Two commands on a fresh machine: `make demo` and `make test`. All else is for developers.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEMO := demo-library

.PHONY: setup demo test test-slow docs check format clean

setup: $(INSTALLED)

# The CPU build of torch, whatever the machine: from a local wheel folder where one is configured
# (PIP_FIND_LINKS or UV_FIND_LINKS), else from PyTorch's own CPU index. A plain `pip install torch`
# on Linux would download gigabytes of CUDA.
$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	@links="$${UV_FIND_LINKS:-$${PIP_FIND_LINKS:-}}"; \
	local=$$(ls $$links/torch-*+cpu*.whl 2>/dev/null | head -n 1); \
	if $(BIN)/python -m pip install -q uv; then \
		echo "Installing with uv ($${local:-CPU index for torch})"; \
		UV_FIND_LINKS="$$links" $(BIN)/uv pip install --python $(BIN)/python --compile-bytecode \
			$$( [ -n "$$local" ] || echo --torch-backend=cpu ) -c constraints.txt -e '.[all]'; \
	else \
		echo "Installing with pip ($${local:-CPU index for torch})"; \
		$(BIN)/python -m pip install \
			$$( [ -n "$$local" ] || echo --extra-index-url https://download.pytorch.org/whl/cpu ) \
			-c constraints.txt -e '.[all]'; \
	fi
	@touch $(INSTALLED)

# With ALL=1 by trained stages alone: the flow of docpipe/configs/research.toml.
demo: FLOW := $(if $(ALL),--config research.toml)
demo: setup
	@rm -rf $(DEMO)
	@[ -z "$(ALL)" ] || $(BIN)/docpipe flow $(FLOW)
	$(BIN)/docpipe ingest datasets/samples --library $(DEMO) $(FLOW)
	@for question in \
		"How many people does Lindmoor Water supply?" \
		"By how much is the rent of Ms Solheim reduced for May?" \
		"Which battery does the Heron 300 need?" \
		"Who is the managing director of Lindmoor Water?"; \
	do echo; echo "\$$ docpipe ask \"$$question\""; $(BIN)/docpipe ask --library $(DEMO) $(FLOW) "$$question"; done

test: setup
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: setup
	$(BIN)/python -m pytest -m slow

# The site of docs/, with the references of commands and Python; a broken link is an error.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_layout.py

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(DEMO) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
