"""Suite ``hiagent-five``: the five tasks of HiAgent as one suite."""
