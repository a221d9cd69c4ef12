"""`tenure ui`: pages to look at memory and to decide about it, served to one person on this machine.

`visits.py` is the only module that knows who that person is and how they came in; `request_gate.py` stands before every
address; `app.py` puts pages together, and `pages/` has one file for each. Nothing here needs JavaScript.
"""
