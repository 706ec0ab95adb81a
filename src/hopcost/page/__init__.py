"""The web page over kept records: read only, on this machine alone.

`app` joins addresses to `views`; a view is a function of what is kept and of the address's query, and knows no web
framework. `guard` stands before everything, `server` bounds what a connection may take.
"""
