"""Figures and tables from the rows that `bfslab run` records. Reads CSV and JSON, nothing else."""
