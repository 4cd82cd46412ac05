"""The table model (Sheet), written as plain text, Markdown or LaTeX."""
