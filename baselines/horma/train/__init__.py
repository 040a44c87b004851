"""Trains the weights of a navigator with GRPO. What imports torch needs the extra ``train``; docs/training.md."""
