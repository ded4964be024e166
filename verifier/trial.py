"""One trial: an algorithm on an instance in a regime with a seed, and the measurements of all its claims."""
