"""Tables that compare methods: scores, lifelong figures, differences, ranks, CSV."""
