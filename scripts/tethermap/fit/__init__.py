"""Fit of a model to the experiment: values and limits of validation reports, and own checks."""
