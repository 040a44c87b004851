"""GenericAgent within a trial: an anchor of summaries and key info, staged compression, files read on demand."""
