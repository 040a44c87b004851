"""HORMA: organise, then retrieve. A manager files what happens in a workspace; a navigator looks through it."""
