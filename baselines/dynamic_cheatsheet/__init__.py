"""Dynamic Cheatsheet: one text of advice, which the model writes anew after each training attempt."""
