"""The interfaces that plugins build on: task, stream, method, metric, specs, hooks."""
