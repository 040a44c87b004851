"""HiAgent: sub-goal chunks of an episode, closed ones summarised, shown again in full when asked for."""
