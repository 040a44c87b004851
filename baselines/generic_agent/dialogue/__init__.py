"""GenericAgent's layers for long conversations."""
