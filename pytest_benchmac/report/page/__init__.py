"""The page that shows runs and their cases in a browser."""
