"""The tables and plots of the documentation, a module for each page or subject."""
