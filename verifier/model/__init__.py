"""Vocabulary of plugin authors: algorithms, claims, properties, settings, and the results of a trial."""
