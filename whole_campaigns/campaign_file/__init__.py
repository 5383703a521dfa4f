"""Campaign files in YAML: write, check, compare and apply them.

Each part of the file is the body of a REST resource (`bodies`): it is validated by the serializer of that resource, and
applied by the same services.
"""
