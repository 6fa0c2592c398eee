"""Values from the text of entities: dates, amounts, names, rows, links, and checks of them.

A value is what the text certainly says. Where it could mean two things, as 03/04/1985 does, what
else the document says decides; otherwise there is no value but a note.
"""
