"""Tables made from run records."""
