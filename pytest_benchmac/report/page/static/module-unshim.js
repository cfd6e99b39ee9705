// The libraries that follow look for a module system, and are to find none.
module = undefined;
