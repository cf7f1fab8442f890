"""Stand-ins for what lab scripts import, found under their own names while a script runs and at no other time."""
