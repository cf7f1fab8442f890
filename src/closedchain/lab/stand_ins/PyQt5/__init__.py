"""Qt as far as lab scripts use it: an application without windows, timers by the run's clock."""
