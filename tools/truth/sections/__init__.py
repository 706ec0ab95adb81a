"""The sections of docs/explain/truth.md, a file or a folder each: cases to run, and what the page says of them.

A new one is a class of `page.part.Section`, with a name in `SECTIONS` of `page/page.py`. If `make truth-short` has it
too, its `short_s` is the time that its short form takes. All of them together leave the last, same-proxies, ten minutes
or more.
"""
