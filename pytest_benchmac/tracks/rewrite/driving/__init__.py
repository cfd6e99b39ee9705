"""Running a program on inputs, in a sandbox that has nothing else."""
