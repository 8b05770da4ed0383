"""Logs as the field's own files. Pure: commits in, text out; what a format cannot say is left out."""
