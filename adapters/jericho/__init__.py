"""Suite ``jericho``: text adventures (Z-machine); the 20 Jericho games of AgentBoard, or three Zork games."""
