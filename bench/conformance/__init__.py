"""Whether a strategy obeys the rules: the rules, and the scripted trial that they are checked on."""
