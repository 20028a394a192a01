"""Drafts of packs, relations and policies. What was guessed is marked, so that an author looks at it."""
