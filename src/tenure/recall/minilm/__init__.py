"""What belongs to the packaged model and is not its weights: its vocabulary, and the tokenizer that goes by it."""
