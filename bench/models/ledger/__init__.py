"""Metered models: every call of a trial is recorded before its reply is used."""
