"""Tables that show a paper's figures beside ours, with verdicts and a summary."""
