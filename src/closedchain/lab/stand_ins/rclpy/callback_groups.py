"""Groups of callbacks: one callback runs at a time here, whatever its group."""


class CallbackGroup:
    """Some callbacks."""


class MutuallyExclusiveCallbackGroup(CallbackGroup):
    """One at a time."""


class ReentrantCallbackGroup(CallbackGroup):
    """Several at a time, in ROS."""


__all__ = ["CallbackGroup", "MutuallyExclusiveCallbackGroup", "ReentrantCallbackGroup"]
