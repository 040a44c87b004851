"""Text adventures on the Z-machine: AgentBoard's 20 Jericho games, and the three Zork games under the MIT licence."""
