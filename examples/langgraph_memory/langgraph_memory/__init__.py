"""A memory written in LangGraph, as a strategy of memfrontier."""
