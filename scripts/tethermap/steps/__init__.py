"""What each step of a job does; `tethermap.run.steps` declares them."""
