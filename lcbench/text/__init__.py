"""From documents to matrices: which words count, and what each counts for."""
