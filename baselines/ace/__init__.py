"""ACE: a playbook of single bullets with counters, changed a little after each training attempt and never rewritten."""
