"""Tests of the ArcheFlow dialect."""
