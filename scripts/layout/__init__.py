"""The rules of scripts/check_layout, one file for each; a rule yields (path, line, message) for what breaks it."""
