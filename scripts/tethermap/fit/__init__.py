"""How well a model fits the experiment: what validation reports say, with what limits, and checks of our own."""
