"""GenericAgent within one episode."""
