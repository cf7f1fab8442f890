"""Linkages: free points, several loops, passive freedoms; the field's benchmarks among them. One file each."""
