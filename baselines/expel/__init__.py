"""ExpeL: insights drawn from solved and failed training tasks, and the solved tasks nearest to the present one."""
