"""Plain files and a grep agent: sessions as numbered text files, looked through by command at every question."""
