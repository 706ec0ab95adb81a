"""What each address shows: functions of what is kept and of the query."""
