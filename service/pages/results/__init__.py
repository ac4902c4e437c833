"""What the results page shows, made from the rows of a job's tables."""
