"""Bugs of published code, most of them reported by people: an agent in words of our own before and after each."""
