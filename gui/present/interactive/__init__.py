"""The page that is explored where it is read: a file with its schedules in it, and no server."""
