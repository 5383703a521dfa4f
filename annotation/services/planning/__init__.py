"""Plan HITs ahead, for the pool and for single judges, and store them."""
