"""Suite ``qa``: questions about any conversation or text, from a file or a data set of the Hugging Face hub."""
