"""GenericAgent: an anchor over staged compression within an episode; index, facts and archive over a conversation."""
