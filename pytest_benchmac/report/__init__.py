"""What is made from stored evaluations: leaderboards."""
