"""Django's PostgreSQL, with a cheaper look at whether a connection that was kept open still stands."""
