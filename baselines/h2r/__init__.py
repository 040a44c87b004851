"""H2R: sub-goals of solved tasks teach a planner, the steps that reached them teach an executor."""
