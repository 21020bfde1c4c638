"""The doors of the compiler, one for each theme: who wants one does not load the others."""
