"""Nodes, which find each other within the script."""

from closedchain.lab.nodes import Client, Node, Publisher, Timer

__all__ = ["Client", "Node", "Publisher", "Timer"]
