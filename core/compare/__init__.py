"""Two schedules held against each other, whoever made them: what differs, and what that brings."""
