"""Statistical tests: bootstrap interval, Wilcoxon, Holm, Friedman, Nemenyi."""
