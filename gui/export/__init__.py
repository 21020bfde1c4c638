"""What is handed over: pictures of views, reports, and the files that are exported."""
