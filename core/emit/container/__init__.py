"""The compiled file: islands as `ethos-u` operators, and what runtimes need to place them."""
