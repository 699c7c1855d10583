"""Our model in other programs' formats; each export proves on the spot that it computes what ours computes."""
