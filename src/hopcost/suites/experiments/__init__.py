"""What an experiment is: its workload, what every answer must be, its sweep."""
