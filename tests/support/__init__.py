"""What tests share: positions, players, the naive twin of the rules, and servers to test against."""
