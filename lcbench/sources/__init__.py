"""Where raw data come from: found, fetched, read with care, verified and kept."""
