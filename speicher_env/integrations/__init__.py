"""Adapters for training frameworks, a module each, which imports its framework when it is imported.

Nothing here is imported by `import speicher_env`. A module whose framework is missing says what to install.
"""
