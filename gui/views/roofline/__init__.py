"""The roofline: operators under what the accelerator and its memories can do at most."""
