"""A server of the Model Context Protocol on standard input and output: robots for agents and scripts.

Its tools are the questions of the command line, and their answers are its JSON documents.
"""
