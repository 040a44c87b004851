"""ReasoningBank: a few lessons from each training attempt, solved or not, recalled by the likeness of the tasks."""
