"""What a repository has beside what is built of it: the same for every track with a patch."""
