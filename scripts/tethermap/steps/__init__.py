"""What each step of a shard does with one entry, and the cache that spares doing it twice."""
