"""What each name means: a topic for every rule, route, field, fact, stage, mode, claim and format.

`genconform explain`, the pages of the docs site and the HTML report all show these topics.
"""
