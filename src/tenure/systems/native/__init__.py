"""Tenure's own ways, on which every other system is based."""
