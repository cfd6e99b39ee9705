"""What a user gives: instances and submissions, read and checked."""
