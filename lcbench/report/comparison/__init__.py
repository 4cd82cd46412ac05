"""Tables that compare methods: scores, transfer, figures, differences, ranks, CSV."""
