"""Programs written again in another language, judged by their command line or REST interface."""
