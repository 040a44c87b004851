"""ReasoningBank: advice from each training attempt, solved or not, recalled by the likeness of the tasks."""
