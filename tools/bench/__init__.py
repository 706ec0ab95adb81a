"""What load generators cost, and what batching does: tables in docs/explain."""
