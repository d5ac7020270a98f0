"""Catalogues: what must hold, what may go wrong, who hands over what, what is cited, and by what
each is borne. Nothing here judges a run; it is checked that what is named exists and catches."""
