"""An agent that is a program of somebody else's: it acts and answers, and its model calls are those of the trial."""
