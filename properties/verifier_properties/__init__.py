"""The property library: one family of guarantees per file, each property a pure function of what the harness saw."""
