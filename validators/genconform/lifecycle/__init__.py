"""The lifecycle in Python: types, the hand-written machine, the table's engines, spaces, graph."""
