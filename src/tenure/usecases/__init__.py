"""What can be done with a memory store, one module per use case; `tenure.workspace` calls them."""
