"""Tables before they are written, and the ways of writing them."""
