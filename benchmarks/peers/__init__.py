"""What a user would use instead, measured in the same run: each peer in a virtual environment of its own."""
