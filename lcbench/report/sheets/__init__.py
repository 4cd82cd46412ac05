"""The table model (Sheet), written as plain text, Markdown, LaTeX or HTML."""
