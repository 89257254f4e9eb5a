"""What scripts/check-nodes does with two machines. `__main__` is where to begin."""
