"""Reading what a submission wrote, without believing it."""
