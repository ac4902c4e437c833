"""Answers of the API: one model for each gives the body and its schema."""
