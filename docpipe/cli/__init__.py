"""The `docpipe` command. Results go to stdout, progress and logs to stderr.

Exit codes: 0 all good, 1 some input failed or has issues, 2 usage
or configuration, 130 interrupted.
"""

from docpipe.cli.app import main

__all__ = ["main"]
