"""Searchers: who proposes the next thing to try."""
