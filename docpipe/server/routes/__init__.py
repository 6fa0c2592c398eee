"""The API, a module for each kind of thing."""
