# The front door: every target does its own set-up. CMake users can use the presets directly (cmake --list-presets).
.PHONY: help demo test test-release test-reproduce test-sanitized test-cluster test-cuda test-gpu tsan python bench reproduce fuzz lint tidy format coverage docs install dist dist-arm64 clean
.NOTPARALLEL:
.DEFAULT_GOAL := help

JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
# Debian's own Python, which Debian's packages are for.
PYTHON3 ?= $(firstword $(wildcard /usr/bin/python3) python3)
export JOBS
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

# $(call build,PRESET,CMAKE OPTIONS,TARGETS): what CMake says about finding things is shown when it fails. The releases are
# compiled folder by folder, the other presets file by file, so that both stay possible.
build = mkdir -p build && { cmake --preset $(1) $(if $(filter release cuda,$(1)),-DKIRCHHOFF_UNITY=ON) $(2) >build/$(1).log || { cat build/$(1).log; exit 1; }; } && \
        cmake --build --preset $(1) -j $(JOBS) $(addprefix --target ,$(3))

help:
	@echo 'make demo                 trees of a few sentences; a parser trained, its parses, probabilities, samples'
	@echo 'make test                 everything that must pass: tests, tests under sanitizers, fuzzing, quick results'
	@echo 'make test-cluster         tests in real clusters of Spark and Ray, on this machine'
	@echo 'make test-gpu             tests of the kernels for CUDA on this machine’s device'
	@echo 'make tsan                 tests of what several threads do, under the thread sanitizer'
	@echo 'make python               Python package: wheel, tests in a fresh virtual environment'
	@echo 'make bench                benchmarks, with the figures to beat'
	@echo 'make reproduce            every table and figure of the papers, into docs/results/; QUICK=1: small samples'
	@echo 'make fuzz                 the fuzz targets for EXECUTIONS=1000000 executions in all'
	@echo 'make lint                 formatting, layout and static analysis; "make format" repairs the formatting'
	@echo 'make coverage             line coverage of the tests'
	@echo 'make docs                 the documentation as a site: build/docs/site'
	@echo 'make install PREFIX=...   library, headers and program (default /usr/local)'
	@echo 'make dist                 releases: source archive, program, Debian package, wheels, all tried in bare systems'
	@echo 'make dist-arm64           the same for arm64, cross-compiled; C++ tests under qemu'
	@echo 'make clean                remove build/'
	@echo 'Options: JOBS=N (default: all cores). Missing Debian packages are installed: see packages.txt.'

demo:
	@scripts/setup build
	@$(call build,release,-DKIRCHHOFF_BUILD_TESTS=OFF,kirchhoff-cli)
	@mkdir -p build/demo
	build/release/cli/kirchhoff draw --root single examples/demo.jsonl --html build/demo/trees.html --svg build/demo/trees.svg
	@scripts/demo build/release/cli/kirchhoff build/demo
	@echo 'Drawn with their probabilities: build/demo/trees.html, build/demo/parse.html'
	@echo 'Random trees of them: build/release/cli/kirchhoff sample --root single --count 3 examples/demo.jsonl'
	@echo 'Now correct trees yourself: start build/release/cli/kirchhoff serve --model build/demo/english.model'
	@echo 'and open http://127.0.0.1:8080 in a browser. Ctrl-C ends it.'

test: test-release python test-reproduce test-cuda test-sanitized

test-release:
	@scripts/setup build tests page
	@$(call build,release,-DKIRCHHOFF_BUILD_TESTS=ON)
	@ctest --preset release

# The tests and the fuzz targets share one build, with both sanitizers: a separate dev build would cost four minutes more.
test-sanitized:
	@scripts/setup build tests
	@$(call build,fuzz,-DKIRCHHOFF_BUILD_TESTS=ON)
	@ctest --preset fuzz

# The library with CUDA, compiled for one kind of device, which need not be there: the kernels also run on the host.
CUDA_ARCHITECTURES ?= 90-real
with_cuda = CUDACXX=$$(scripts/cuda-compiler) && export CUDACXX && \
            $(call build,cuda,-DCMAKE_CUDA_ARCHITECTURES='$(1)' -DKIRCHHOFF_BUILD_TESTS=ON -DKIRCHHOFF_BUILD_CLI=OFF,test_cuda test_cuda_device $(2))
test-cuda:
	@scripts/setup build tests cuda
	@$(call with_cuda,$(CUDA_ARCHITECTURES))
	@ctest --preset cuda

# The same tests on a device.
test-gpu:
	@nvidia-smi -L 2>/dev/null || { echo 'test-gpu: this machine has no CUDA device' >&2; exit 1; }
	@scripts/setup build tests cuda
	@$(call with_cuda,native,test_laws)
	@scripts/test-gpu build/cuda

# The fuzz targets for long; what they did is printed as a table.
EXECUTIONS ?= 1000000
fuzz:
	@scripts/setup build tests
	@$(call build,fuzz,-DKIRCHHOFF_BUILD_TESTS=ON)
	@scripts/fuzz build/fuzz $(EXECUTIONS) --jobs $(JOBS)

# Trainer, batches, crew and samplers, which share memory between threads.
tsan:
	@scripts/setup build tests
	@$(call build,tsan,-DKIRCHHOFF_BUILD_TESTS=ON,threaded_tests)
	@ctest --preset tsan

# The papers' tables on small samples: that the pages can be made, not what is on them.
test-reproduce:
	@$(MAKE) --no-print-directory reproduce QUICK=1

# A wheel made from the library that test-release has built, installed into a fresh virtual environment.
python:
	@scripts/setup build python python-tests
	@$(call build,release,,kirchhoff kirchhoff-manual)
	@cmake --install build/release --prefix build/stage >build/stage.log
	@scripts/python build/stage

# Engines for tables larger than a machine, each as a cluster of several processes on the loopback interface.
test-cluster:
	@scripts/setup build python cluster
	@$(call build,release,,kirchhoff kirchhoff-manual)
	@cmake --install build/release --prefix build/stage >build/stage.log
	@scripts/cluster build/stage

bench:
	@scripts/setup build bench reproduce
	@$(call build,release,-DKIRCHHOFF_BUILD_TESTS=OFF -DKIRCHHOFF_BUILD_BENCH=ON)
	@PYTHON3=$(PYTHON3) bench/run build/release

# The papers' tables and figures. QUICK=1: small samples, into build/reproduce/quick; ONLY="PAGE ...": some pages;
# MINUTES=N ends the trainings after this time, and the next run goes on; JOBS=N trainings run side by side; KEEP=all, or
# commits, keeps what long pages have from them, each figure with its origin.
reproduce:
	@scripts/setup build bench reproduce
	@$(call build,release,-DKIRCHHOFF_BUILD_BENCH=ON)
	@$(PYTHON3) bench/experiments/reproduce build/release $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(KEEP),--keep $(KEEP)) --jobs $(JOBS)

lint:
	@scripts/setup build tests lint
	@scripts/lint

tidy:
	@scripts/setup build tests lint
	@scripts/lint --tidy

format:
	@scripts/setup lint
	@scripts/lint --fix

# Tests that cover no further lines are left out (other widths of vectors, times, failing calls), and the one that links
# the library without counters. docs/reliability.md has the lines that no test reaches, and why.
coverage:
	@scripts/setup build tests coverage
	@$(call build,coverage)
	@ctest --preset coverage
	@gcovr --root . --filter src/ --filter include/ build/coverage

# MkDocs with the C++ reference from the headers and the Python reference from the docstrings; broken links are errors.
docs:
	@scripts/setup docs
	@scripts/docs/build

install:
	@scripts/setup build
	@$(call build,release,-DKIRCHHOFF_BUILD_TESTS=OFF)
	cmake --install build/release --prefix '$(PREFIX)'

# One build serves all; build/dist has what is given to users. Root is needed to try it in bare Debian systems.
dist:
	@scripts/setup build dist
	@scripts/dist/source
	@scripts/dist/build
	@scripts/dist/program
	@scripts/dist/debian
	@scripts/dist/wheels
	@scripts/dist/check

# Cross-compiled from the same archive, after make dist; the C++ tests run under qemu, which takes its time.
dist-arm64:
	@scripts/setup build dist arm64
	@scripts/dist/source
	@scripts/dist/arm64

clean:
	rm -rf build
