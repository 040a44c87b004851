"""GenericAgent within a trial: an anchor of one-line summaries and key info, staged compression, files read on demand."""
