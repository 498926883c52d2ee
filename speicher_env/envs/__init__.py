"""The game behind the interfaces that training code expects: thin views of one engine."""
