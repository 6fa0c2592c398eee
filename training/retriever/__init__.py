"""What training the text embedder is made of; the script is docpipe.training.train_retriever."""
