"""The steps of a job; `tethermap.run.steps` declares them."""
