"""Everyday mistakes as new users make them; each says what its refusal must tell."""
