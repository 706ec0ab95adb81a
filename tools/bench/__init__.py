"""What load generators cost, and what batching does: docs/bench.md and a table in docs/engine.md."""
