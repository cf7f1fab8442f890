"""Studies: the same question asked of many robots, on one machine or on a cluster."""
