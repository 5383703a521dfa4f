"""Who may do what: the words for it, the walk over every address, and docs/permissions.md.

The table itself is `ADDRESSES` of `tests/permissions/addresses`. Each address there says which status each
role gets by GET, and who may send what: `MEMBERS_PAGE | sends(POST=ORGANISERS)`.
"""
