"""A sample plugin that breaks its promise: it says it is lifelong, and hides the tasks it has learned."""
