"""Plans the runs of an experiment, skips those already done, carries out the rest."""
