"""Players for Speicherstadt: anything that chooses an action from what its seat may see."""
