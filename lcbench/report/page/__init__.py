"""The page: one HTML file with the tables, the curves and where they come from."""
