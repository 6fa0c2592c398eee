"""What training DocFusion is made of; the script is docpipe.training.train_docfusion."""
