"""Question answering for the offline model: parse a memory, find sentences in it, compute dates, extract an answer.

Knows no suite.
"""
