"""What fronts are worth before an app: which there are, what each costs, what each is worth beside another."""
