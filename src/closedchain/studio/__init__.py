"""The studio: a browser workbench. A small server, one warm solver process, and a process for each job."""
