"""Services that carry next to nothing."""

from closedchain.lab.messages import service

Empty = service("Empty", {}, {})
SetBool = service("SetBool", {"data": False}, {"success": False, "message": ""})
Trigger = service("Trigger", {}, {"success": False, "message": ""})

__all__ = ["Empty", "SetBool", "Trigger"]
