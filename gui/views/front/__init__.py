"""The front: schedules that can be taken, fast ones against small ones."""
