"""Questions about documents with gold evidence: made up from a library, or read from benchmarks."""
