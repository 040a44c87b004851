"""Three floors: simulate one built trial, build names into objects, run a batch of trials."""
