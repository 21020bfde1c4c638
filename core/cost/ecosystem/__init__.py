"""The estimate of the ecosystem's compiler, to the figure: what compatible schedules go by."""
