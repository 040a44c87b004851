"""AWM: workflows with placeholders, induced from solved tasks and shown in every prompt."""
