"""A library as a retriever of other frameworks; each module needs that framework's package."""
