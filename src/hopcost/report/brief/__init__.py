"""The default report of a record: for each experiment a question, a sentence, a table of bars, a few cautions.

Fifteen lines an experiment, 80 columns, no word of hopcost's own. Everything else is in `tables` and `notes`, and
shown with `--details`.
"""
