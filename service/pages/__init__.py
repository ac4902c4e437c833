"""Plain HTML pages over the same parts as the API, readable without scripts."""
