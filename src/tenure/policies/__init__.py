"""The packaged policies: one commented TOML file per dialect."""
