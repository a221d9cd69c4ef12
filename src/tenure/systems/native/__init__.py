"""Tenure's own ways: what a system does unless it says otherwise, and the policy every other one is based on."""
