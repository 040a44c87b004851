"""From recorded trials to named scores: metrics, evidence, judged answers."""
