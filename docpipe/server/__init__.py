"""`docpipe serve`: a library as a web page and an HTTP API.

The server process itself reads no document. An ingest runs in a child process of its own, with the
worker processes of `docpipe ingest`; pages are rendered, read and asked in workers that can be
killed. So the server answers at once whatever a document does.

Bound to loopback it trusts whoever can reach it there, but no web page: requests for other host
names, and those that other sites make, are refused. Anything but loopback needs a token.
"""
