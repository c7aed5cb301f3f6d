"""Tests the page in a browser, none skipped: python3 run.py PROGRAM [unittest arguments]."""

import pathlib
import sys
import unittest

import support


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: run.py PROGRAM [unittest arguments]")
    program = pathlib.Path(sys.argv.pop(1)).resolve()
    here = pathlib.Path(__file__).resolve().parent
    names = sys.argv[1:] or sorted(path.stem for path in here.glob("test_*.py"))
    with support.running(str(program)):
        suite = unittest.defaultTestLoader.loadTestsFromNames(names)
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    sys.exit(0 if result.wasSuccessful() and not result.skipped else 1)


if __name__ == "__main__":
    main()
